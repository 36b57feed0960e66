import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { hasEnded, processStatus, type ProcessStatus } from "./process-identity.ts";

/** What to look for: a process that was made the head of its own group (-1: none), and the marks in its environment. */
export interface TreeRoot {
  readonly pid: number;
  /** `NAME=value`, all of which a process must have to belong. Children inherit them, wherever they move. */
  readonly marks: readonly string[];
}

/** One step on the way to a certain end: a signal, and how long to wait for it to work. */
export interface Rung {
  readonly signal: NodeJS.Signals;
  readonly patience: number;
}

/** For a process that is asked to end. */
export const killLadder: readonly Rung[] = [
  { signal: "SIGTERM", patience: 2000 },
  { signal: "SIGKILL", patience: 2000 },
];

/** For what a process has left behind after its own end. */
export const sweepLadder: readonly Rung[] = [
  { signal: "SIGTERM", patience: 200 },
  { signal: "SIGKILL", patience: 2000 },
];

const lookEvery = 10;

/** Ends everything that belongs to the root. False when something is still there after the last rung. */
export async function killTree(root: TreeRoot, ladder: readonly Rung[]): Promise<boolean> {
  if (!existsSync("/proc/self/stat")) return killGroup(root.pid, ladder);
  // Whoever was once seen to belong still does when its parents are gone, and with them the way it was found.
  let members = findTree(root, []);
  for (const { signal, patience } of ladder) {
    const asked = new Set<number>();
    const deadline = performance.now() + patience;
    while (members.length > 0 && performance.now() < deadline) {
      for (const { pid } of members.filter((member) => !asked.has(member.pid))) {
        send(pid, signal);
        asked.add(pid);
      }
      await delay(lookEvery);
      members = findTree(root, members);
    }
  }
  return members.length === 0;
}

/** Everything alive that belongs to the root, and to `known` members seen earlier: group, descendants, and marks. */
export function findTree(root: TreeRoot, known: readonly ProcessStatus[]): ProcessStatus[] {
  const alive = listProcesses();
  const startTimes = new Map(known.map((member) => [member.pid, member.startTime]));
  const belongs = new Set<number>();
  for (const status of alive) {
    const isKnown = startTimes.get(status.pid) === status.startTime;
    if (isKnown || status.pid === root.pid || status.group === root.pid || hasMarks(status.pid, root.marks)) {
      belongs.add(status.pid);
    }
  }
  addDescendants(belongs, alive);
  return alive.filter((status) => belongs.has(status.pid) && !hasEnded(status));
}

/** Everything alive that descends from a process, without itself. */
export function descendantsOf(ancestor: number): number[] {
  const alive = listProcesses();
  const belongs = new Set([ancestor]);
  addDescendants(belongs, alive);
  return alive
    .filter((status) => belongs.has(status.pid) && status.pid !== ancestor && !hasEnded(status))
    .map(({ pid }) => pid);
}

function addDescendants(belongs: Set<number>, alive: readonly ProcessStatus[]): void {
  for (let before = -1; before !== belongs.size;) {
    before = belongs.size;
    for (const { pid, parent } of alive) if (belongs.has(parent)) belongs.add(pid);
  }
}

/** All processes but ourselves and the machine's first. */
export function listProcesses(): ProcessStatus[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && pid > 1 && pid !== process.pid ? (processStatus(pid) ?? []) : [];
  });
}

function hasMarks(pid: number, marks: readonly string[]): boolean {
  try {
    const environment = Buffer.concat([Buffer.alloc(1), readFileSync(`/proc/${pid}/environ`)]);
    return marks.length > 0 && marks.every((mark) => environment.includes(`\0${mark}\0`));
  } catch {
    return false; // it has ended, or it belongs to somebody else
  }
}

async function killGroup(group: number, ladder: readonly Rung[]): Promise<boolean> {
  for (const { signal, patience } of ladder) {
    const deadline = performance.now() + patience;
    if (!send(-group, signal)) return true;
    while (performance.now() < deadline) {
      await delay(lookEvery);
      if (!send(-group, 0)) return true;
    }
  }
  return false;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // already gone
  }
}
