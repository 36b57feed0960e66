import { readFileSync } from "node:fs";
import { listedChildren } from "./listed-below.ts";
import { identity, type ProcessIdentity } from "./process-identity.ts";
import { listProcesses } from "./process-tree.ts";

/**
 * The agent in a pid namespace, known from outside by the namespace's first process; null while it is not yet there.
 * It is the child that the first process made first, and it is there once it has become another program.
 */
export function findAgent(first: number): ProcessIdentity | null {
  const isFirstMade = (pid: number): boolean => numberInside(pid) === 2;
  const pid = listedChildren(first).find(isFirstMade) ?? childrenOf(first).find(isFirstMade);
  if (pid === undefined) return null;
  const words = read(`/proc/${pid}/cmdline`);
  return words === "" || words === read(`/proc/${first}/cmdline`) ? null : identity(pid);
}

function childrenOf(first: number): number[] {
  return listProcesses().flatMap(({ pid, parent }) => (parent === first ? [pid] : []));
}

function numberInside(pid: number): number {
  return Number(/^NSpid:.*\t(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
