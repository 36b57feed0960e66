import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { DaemonAddress } from "./daemon-address.ts";
import { findDaemon } from "./find-daemon.ts";
import { findStartFailure } from "./describe-start-failure.ts";
import { daemonCommand } from "./daemon-command.ts";
import type { Home } from "@fairlead/runtime/home";

const startTimeout = 20_000;
const logSizeLimit = 8 * 1024 ** 2;
/** How much of the log of a daemon that did not start is read. */
const failureLogLimit = 64 * 1024;

/** Variables that apply to one command. The daemon would apply them to all later commands. */
const perCommandVariables = [
  "FAIRLEAD_AGENT",
  "FAIRLEAD_MODEL",
  "FAIRLEAD_DAEMON",
  "FAIRLEAD_SHIM_TOKEN",
  "FAIRLEAD_URL",
  "FAIRLEAD_TOKEN",
  "FAIRLEAD_TOKEN_FILE",
  "FAIRLEAD_CA",
];

/** Starts a daemon that outlives this process. Resolves when the daemon listens. */
export async function startDaemon(home: Home, environment: NodeJS.ProcessEnv, address: DaemonAddress): Promise<void> {
  mkdirSync(home.daemonFolder, { recursive: true, mode: 0o700 });
  const inheritedVariables = Object.entries(environment).filter(([name]) => !perCommandVariables.includes(name));
  const log = openDaemonLog(home.daemonLogFile);
  const logStart = fstatSync(log).size;
  const [program, ...words] = daemonCommand(address);
  const child = spawn(program, words, {
    cwd: "/", // so that the daemon keeps no folder in use
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...Object.fromEntries(inheritedVariables), FAIRLEAD_HOME: home.folder },
  });
  closeSync(log);
  child.unref();
  await waitUntilReady(home, child, logStart);
}

/** Waits until the daemon listens. Throws if its process fails or exits, or after the timeout. */
async function waitUntilReady(home: Home, child: ChildProcess, logStart: number): Promise<void> {
  let failure: Error | null = null;
  child.once("error", (error) => (failure = error));
  const deadline = Date.now() + startTimeout;
  for (let pause = 5; (await findDaemon(home)) === null; pause = Math.min(pause * 1.5, 50)) {
    const exitStatus = child.exitCode ?? child.signalCode;
    if (failure === null && exitStatus === null && Date.now() < deadline) {
      await delay(pause);
      continue;
    }
    throw startError(home, child, { failure, logStart });
  }
}

function startError(
  { daemonLogFile }: Home,
  { exitCode, signalCode }: ChildProcess,
  { failure, logStart }: { readonly failure: Error | null; readonly logStart: number },
): FairleadError {
  const exitStatus = exitCode ?? signalCode;
  const loggedReason = exitStatus === null ? null : findStartFailure(readLogFrom(daemonLogFile, logStart));
  if (loggedReason !== null)
    return new FairleadError(
      "unavailable",
      `The daemon could not be started: ${loggedReason}\nIts log: ${daemonLogFile}`,
    );
  const timeout = `it does not listen after ${startTimeout / 1000} s`;
  const reason = failure?.message ?? (exitStatus === null ? timeout : `it exited with ${exitStatus}`);
  const message = `The daemon could not be started: ${reason}. See its log: ${daemonLogFile}`;
  return new FairleadError("unavailable", message, { cause: failure });
}

/** Reads what was appended to the log after a position. */
function readLogFrom(file: string, position: number): string {
  const log = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(failureLogLimit);
    return buffer.toString("utf8", 0, readSync(log, buffer, 0, buffer.length, position));
  } finally {
    closeSync(log);
  }
}

/** Opens a log for appending. Renames a log over the limit to `.1` first, replacing the previous `.1`. */
export function openDaemonLog(file: string, limit = logSizeLimit): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > limit) renameSync(file, `${file}.1`);
  return openSync(file, "a", 0o600);
}
