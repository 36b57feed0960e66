import { readdirSync, readlinkSync } from "node:fs";
import { listedBelow } from "./listed-below.ts";
import { descendantsOf } from "./process-tree.ts";

/**
 * Where, among the open files of what descends from a process, a pipe or socket is held: the path of that link, to be
 * looked at first the next time. Null when nobody holds it. Who cannot be looked at is taken to hold it.
 */
export function findListener(ancestor: number, end: string): string | null {
  // Hundreds of keepers that looked at every process of the machine would leave it no time for anything else. Only to
  // be sure that there is nobody one has to.
  return whereHeld(listedBelow(ancestor), end) ?? whereHeld(descendantsOf(ancestor), end);
}

function whereHeld(processes: readonly number[], end: string): string | null {
  for (const pid of processes) {
    const folder = `/proc/${pid}/fd`;
    const files = orIfGone<string[], null>(() => readdirSync(folder), [], null);
    if (files === null) return folder;
    const file = files.find((name) => isHeldAt(`${folder}/${name}`, end));
    if (file !== undefined) return `${folder}/${file}`;
  }
  return null;
}

/** Whether a link still leads to a pipe or socket, or cannot be looked at. */
export function isHeldAt(link: string, end: string): boolean {
  return orIfGone(() => readlinkSync(link) === end, false, true);
}

/** The pipe or socket that is a process's standard input, such as `socket:[4711]`; null if that cannot be told. */
export function standardInputOf(pid: number): string | null {
  return orIfGone<string | null, null>(() => readlinkSync(`/proc/${pid}/fd/0`), null, null);
}

/** What is not there is one thing, what we may not see another. */
function orIfGone<Found, Instead>(look: () => Found, ifGone: Found, ifHidden: Instead): Found | Instead {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ESRCH" ? ifGone : ifHidden;
  }
}
