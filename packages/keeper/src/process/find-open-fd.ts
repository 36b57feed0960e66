import { readdirSync, readlinkSync } from "node:fs";
import { readKernelDescendants } from "./kernel-descendants.ts";
import { descendantsOf } from "./kill-process-tree.ts";

/**
 * Finds a descendant of a process that has a pipe or socket open. Returns the path of the link below /proc, so that the
 * next check can look there first, or null if no descendant has it open. A process whose files cannot be read counts as
 * having it open.
 */
export function findOpenFd(ancestor: number, endpoint: string): string | null {
  // Hundreds of keepers that each scan all processes would overload the machine. The full scan runs only to confirm
  // that no process has the file open, because the kernel's list may be incomplete.
  return findFdAmong(readKernelDescendants(ancestor), endpoint) ?? findFdAmong(descendantsOf(ancestor), endpoint);
}

function findFdAmong(processes: readonly number[], endpoint: string): string | null {
  for (const pid of processes) {
    const folder = `/proc/${pid}/fd`;
    const files = orIfGone<string[], null>(() => readdirSync(folder), [], null);
    if (files === null) return folder;
    const file = files.find((name) => isFdFor(`${folder}/${name}`, endpoint));
    if (file !== undefined) return `${folder}/${file}`;
  }
  return null;
}

/** Whether a link still points to a pipe or socket, or cannot be read. */
export function isFdFor(link: string, endpoint: string): boolean {
  return orIfGone(() => readlinkSync(link) === endpoint, false, true);
}

/** Returns the pipe or socket that is a process's stdin, such as `socket:[4711]`, or null if it cannot be read. */
export function readStdinLink(pid: number): string | null {
  return orIfGone<string | null, null>(() => readlinkSync(`/proc/${pid}/fd/0`), null, null);
}

/** Tells a missing file (`ifGone`) from a file without read permission (`ifHidden`). */
function orIfGone<Value, Fallback>(read: () => Value, ifGone: Value, ifHidden: Fallback): Value | Fallback {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ESRCH" ? ifGone : ifHidden;
  }
}
