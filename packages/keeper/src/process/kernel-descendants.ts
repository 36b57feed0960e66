import { readdirSync, readFileSync } from "node:fs";

/**
 * Reads the kernel's list of a process's children. The cost does not depend on the number of processes on the machine.
 * The list may omit a child while another one exits, and some kernels have no such list. So a listed child exists, but
 * a child that is not listed may exist too.
 */
export function readKernelChildren(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Returns the listed descendants of a process, without the process itself. */
export function readKernelDescendants(ancestor: number): number[] {
  const descendants = readKernelChildren(ancestor);
  // The loop appends to the array that it iterates over. It ends because no process has two parents.
  for (const pid of descendants) descendants.push(...readKernelChildren(pid));
  return descendants;
}
