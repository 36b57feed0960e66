import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { setFlagsFromString } from "node:v8";
import { AlreadyKept, claimSocket } from "./claim-socket.ts";
import { endLeftovers } from "./end-leftovers.ts";
import { exitCodes } from "./exit-codes.ts";
import { protocolVersion } from "./frame.ts";
import { KeeperServer } from "./keeper-server.ts";
import { Keeper, type KeeperOptions } from "./keeper.ts";
import { identity } from "./process-identity.ts";
import { identityFile, socketPath, spoolFolder } from "./session-folder.ts";
import { SpoolDamaged } from "./spool-damaged.ts";

/** The keeper's process: `node main.ts <session folder>`. It prints nothing and outlives whoever started it. */

/** The folder may be renamed while we live in it, so we never use its name, only our place. */
const here = ".";

/** A keeper that is wanted at once has launched by then; one that has not is a spare, and has time. */
const readyingTime = 100;
/** How long after the start it is over, to all appearances. */
const settlingTime = 1000;

async function main(folder: string): Promise<void> {
  process.chdir(folder);
  // Whoever holds the socket owns the spool, so the socket comes first.
  const socket = await claimSocket(socketPath(here), async () => {
    if (existsSync(spoolFolder(here))) await endLeftovers(folderName());
  });
  const keeper = new Keeper(here, {
    session: folderName,
    ...settings(process.env),
    appended: () => server.wake(),
  });
  const server = new KeeperServer(keeper, socket);

  process.on("SIGTERM", () => void keeper[Symbol.asyncDispose]());
  // Without a spool to write to, an agent must not go on unseen.
  const fail = (): void => void keeper.endAll().finally(() => process.exit(exitCodes.failed));
  process.on("uncaughtException", fail);

  writeIdentity();
  setTimeout(() => keeper.makeReady(), readyingTime).unref();
  setTimeout(giveMemoryBack, settlingTime).unref();
  await keeper.left;
  rmSync(identityFile(here), { force: true });
  rmSync(socketPath(here), { force: true });
  socket.close();
  server.close();
}

/** There are many of us, and we mostly wait: what the start took and nobody needs any more is an eighth of us. */
function giveMemoryBack(): void {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** What whoever starts a keeper may set in its environment. */
function settings(env: NodeJS.ProcessEnv): KeeperOptions {
  const spoolBytes = Number(env["FAIRLEAD_SPOOL_BYTES"]);
  const lease = Number(env["FAIRLEAD_LEASE_MS"]);
  return {
    ...(env["FAIRLEAD_CONTAINMENT"] === "descendants" && { containment: { kind: "descendants" } }),
    ...(spoolBytes > 0 && { spoolBytes }),
    ...(lease > 0 && { lease }),
  };
}

/** Written whole or not at all, and only when the socket already listens. */
function writeIdentity(): void {
  const file = identityFile(here);
  const text = JSON.stringify({ ...identity(process.pid), protocol: protocolVersion });
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** What our folder is called now: Node remembers where it is until it is told to go somewhere. */
function folderName(): string {
  process.chdir(here);
  return basename(process.cwd());
}

function exitCodeFor(error: unknown): number {
  if (error instanceof AlreadyKept) return exitCodes.alreadyKept;
  return error instanceof SpoolDamaged ? exitCodes.spoolDamaged : exitCodes.failed;
}

// What a keeper does it does so seldom that to compile it well costs more than it saves; and hundreds of keepers that have
// heard as much as each other would all do so at the same moment, and stop the machine for seconds.
for (const flag of ["--no-opt", "--no-maglev"]) setFlagsFromString(flag);
for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => {});

const folder = process.argv[2];
if (folder === undefined) process.exit(exitCodes.misused);
try {
  await main(folder);
} catch (error) {
  process.exit(exitCodeFor(error));
}
