import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isProcessAlive, readProcessIdentity, type ProcessIdentity } from "./process/process-identity.ts";
import { identityFile } from "./session-folder.ts";

/**
 * Finds the process of a session folder's keeper without its protocol. An agent can write the identity file, so on Linux
 * the process must also have the folder as its working directory; without a valid file it is searched for by that.
 */
export function findKeeperProcess(folder: string): ProcessIdentity | null {
  const noted = readNotedIdentity(folder);
  const isNotedAlive = noted !== null && isProcessAlive(noted);
  const processes = listProcessIds();
  if (processes === null) return isNotedAlive ? noted : null;
  const workingFolder = realPathOf(folder);
  if (isNotedAlive && isKeeperIn(workingFolder, noted.pid)) return noted;
  const pid = processes.find((candidate) => isKeeperIn(workingFolder, candidate));
  return pid === undefined ? null : readProcessIdentity(pid);
}

function readNotedIdentity(folder: string): ProcessIdentity | null {
  try {
    const identity = JSON.parse(readFileSync(identityFile(folder), "utf8")) as Partial<ProcessIdentity> | null;
    const { pid, startTime, bootId } = identity ?? {};
    // A negative number or 0 would address process groups.
    if (!Number.isInteger(pid) || Number(pid) < 2) return null;
    return { pid: Number(pid), startTime: Number(startTime), bootId: String(bootId) };
  } catch (error) {
    throwIfExhausted(error);
    return null; // missing, or damaged
  }
}

/** Returns null where there is no /proc. */
function listProcessIds(): number[] | null {
  return existsSync("/proc/self/stat") ? readdirSync("/proc").map(Number).filter(Number.isInteger) : null;
}

function isKeeperIn(workingFolder: string, pid: number): boolean {
  try {
    const current = readlinkSync(`/proc/${pid}/cwd`);
    if (current !== workingFolder && current !== `${workingFolder} (deleted)`) return false;
    const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return args.includes("--expose-gc") && args.some((argument) => /[/\\]main\.[jt]s$/.test(argument));
  } catch (error) {
    throwIfExhausted(error);
    return false; // the process has ended or belongs to another user
  }
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/** Without descriptors or memory nothing can be read. A keeper must not count as gone for that reason. */
function throwIfExhausted(error: unknown): void {
  if (["EMFILE", "ENFILE", "ENOMEM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
}
