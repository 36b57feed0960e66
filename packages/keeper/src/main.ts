import { renameSync, rmSync, writeFileSync } from "node:fs";
import { exitCodes } from "./exit-codes.ts";
import { protocolVersion } from "./frame.ts";
import { KeeperServer } from "./keeper-server.ts";
import { Keeper } from "./keeper.ts";
import { AlreadyKept, listen } from "./listen.ts";
import { identity } from "./process-identity.ts";
import { identityFile, socketPath } from "./session-folder.ts";
import { SpoolDamaged } from "./spool-damaged.ts";

/** The keeper's process: `node main.ts <session folder>`. It prints nothing and outlives whoever started it. */

async function main(folder: string): Promise<void> {
  // Whoever holds the socket owns the spool, so the socket comes first.
  const socket = await listen(socketPath(folder));
  const keeper = new Keeper(folder, { appended: () => server.wake() });
  const server = new KeeperServer(keeper, socket);

  process.on("SIGTERM", () => void keeper[Symbol.asyncDispose]());
  // Without a spool to write to, an agent must not go on unseen.
  const fail = (): void => void keeper.endAll().finally(() => process.exit(exitCodes.failed));
  process.on("uncaughtException", fail);

  writeIdentity(folder);
  await keeper.left;
  rmSync(identityFile(folder), { force: true });
  socket.close(); // removes the socket's file too
  server.close();
}

/** Written whole or not at all, and only when the socket already listens. */
function writeIdentity(folder: string): void {
  const file = identityFile(folder);
  const text = JSON.stringify({ ...identity(process.pid), protocol: protocolVersion });
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function exitCodeFor(error: unknown): number {
  if (error instanceof AlreadyKept) return exitCodes.alreadyKept;
  return error instanceof SpoolDamaged ? exitCodes.spoolDamaged : exitCodes.failed;
}

for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => {});

const folder = process.argv[2];
if (folder === undefined) process.exit(exitCodes.misused);
try {
  await main(folder);
} catch (error) {
  process.exit(exitCodeFor(error));
}
