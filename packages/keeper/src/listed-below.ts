import { readdirSync, readFileSync } from "node:fs";

/**
 * The children of a process as the kernel lists them: quickly, however many processes there are. While some end, others
 * may be left out, and some kernels keep no such list; so who is listed is there, and who is not may be there as well.
 */
export function listedChildren(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Everything listed that descends from a process, without itself. */
export function listedBelow(ancestor: number): number[] {
  const below = listedChildren(ancestor);
  // It grows while it is walked over; no process has two parents, so this comes to an end.
  for (const pid of below) below.push(...listedChildren(pid));
  return below;
}
