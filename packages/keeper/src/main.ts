import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { basename } from "node:path";
import { setFlagsFromString } from "node:v8";
import { KeeperAlreadyRunning, claimSocket } from "./protocol/claim-socket.ts";
import { closeInheritedDescriptors } from "./process/close-inherited-descriptors.ts";
import { killOrphanedProcesses } from "./process/kill-orphaned-processes.ts";
import { parseUnattendedLimits, unattendedVariable } from "./keeper-deadlines.ts";
import { keeperExitCodes } from "./keeper-program.ts";
import { keeperProtocolVersion } from "./protocol/messages.ts";
import { KeeperServer } from "./protocol/keeper-server.ts";
import { Keeper } from "./keeper.ts";
import type { KeeperOptions } from "./keeper-options.ts";
import { readProcessIdentity } from "./process/process-identity.ts";
import { identityFile, socketPath, spoolFolder } from "./session-folder.ts";
import { warmSandboxCode } from "./sandbox/probe-launch.ts";
import { SpoolDamaged } from "./spool/spool-damaged.ts";

/**
 * The keeper's process: `node main.ts <session folder>`. It prints nothing and outlives the process that started it.
 */

/** The working directory. The folder may be renamed while the keeper runs, so the keeper never uses its path. */
const sessionFolder = ".";

/** A keeper started for a session has launched its agent by then. A spare keeper has not, and is idle. */
const prewarmDelayMs = 100;
/** By then startup has settled. */
const settleDelayMs = 1000;

async function main(folder: string): Promise<void> {
  process.chdir(folder);
  // The process that owns the socket owns the spool, so the keeper claims the socket before it opens the spool.
  const socket = await claimSocket(socketPath(sessionFolder), async () => {
    if (existsSync(spoolFolder(sessionFolder))) await killOrphanedProcesses(folderName());
  });
  const keeper = new Keeper(sessionFolder, {
    sessionName: folderName,
    ...readOptionsFromEnv(process.env),
    onAppend: () => server.wake(),
  });
  const server = new KeeperServer(keeper, socket);

  process.on("SIGTERM", () => void keeper[Symbol.asyncDispose]());
  // A keeper that cannot write its spool must end its agent: an agent must not run unrecorded.
  const fail = (): void => void keeper.killAll().finally(() => process.exit(keeperExitCodes.failed));
  process.on("uncaughtException", fail);

  writeIdentity();
  setTimeout(() => prewarm(keeper), prewarmDelayMs).unref();
  setTimeout(settle, settleDelayMs).unref();
  await keeper.whenLeft;
  rmSync(identityFile(sessionFolder), { force: true });
  rmSync(socketPath(sessionFolder), { force: true });
  socket.close();
  server.close();
}

/** Does ahead what the first launch would have to wait for. */
function prewarm(keeper: Keeper): void {
  const { kind } = keeper.detectContainment();
  if (kind === "namespace" && keeper.lastSeq === 0) warmSandboxCode(process.env);
}

function settle(): void {
  // Node writes the cache when a process exits, and a keeper may run for days or be killed.
  flushCompileCache();
  collectGarbage();
}

/** One keeper runs per session. A full garbage collection after startup frees about 1/8 of its memory. */
function collectGarbage(): void {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** Reads the options that the starting process may set in the environment. */
function readOptionsFromEnv(env: NodeJS.ProcessEnv): KeeperOptions {
  const spoolBytes = Number(env["FAIRLEAD_SPOOL_BYTES"]);
  const leaseMs = Number(env["FAIRLEAD_LEASE_MS"]);
  const unattended = parseUnattendedLimits(env[unattendedVariable]);
  return {
    ...(env["FAIRLEAD_CONTAINMENT"] === "descendants" && { containment: { kind: "descendants" } }),
    ...(spoolBytes > 0 && { spoolBytes }),
    ...(leaseMs > 0 && { leaseMs }),
    ...(unattended && { unattended }),
  };
}

/** Writes the identity file atomically. Called after the socket listens, so that a reader of the file can connect. */
function writeIdentity(): void {
  const file = identityFile(sessionFolder);
  const text = JSON.stringify({ ...readProcessIdentity(process.pid), protocol: keeperProtocolVersion });
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Returns the current name of the session folder. Node caches the working directory until the next `chdir`. */
function folderName(): string {
  process.chdir(sessionFolder);
  return basename(process.cwd());
}

function exitCodeFor(error: unknown): number {
  if (error instanceof KeeperAlreadyRunning) return keeperExitCodes.alreadyRunning;
  return error instanceof SpoolDamaged ? keeperExitCodes.spoolDamaged : keeperExitCodes.failed;
}

// A keeper runs its code so rarely that optimizing it costs more than it saves. Hundreds of keepers with equal load
// would also start to optimize at the same moment and block the machine for seconds.
for (const flag of ["--no-opt", "--no-maglev"]) setFlagsFromString(flag);
for (const signal of ["SIGHUP", "SIGINT", "SIGPIPE"] as const) process.on(signal, () => {});

closeInheritedDescriptors();
const folder = process.argv[2];
if (folder === undefined) process.exit(keeperExitCodes.usageError);
try {
  await main(folder);
} catch (error) {
  process.exit(exitCodeFor(error));
}
