import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isZombieOrDead, readProcessStatus, type ProcessStatus } from "./process-identity.ts";

/** Where a process tree starts: the leader of a process group (-1: none), and environment markers. */
export interface ProcessTreeRoot {
  readonly pid: number;
  /**
   * Entries `NAME=value`. A process with all of them belongs to the tree. Children inherit them in any session or
   * group.
   */
  readonly envMarkers: readonly string[];
}

/** A signal, and how long to wait for it to work before the next step. */
export interface KillStep {
  readonly signal: NodeJS.Signals;
  readonly waitMs: number;
}

/** For a process that should end. */
export const killSteps: readonly KillStep[] = [
  { signal: "SIGTERM", waitMs: 2000 },
  { signal: "SIGKILL", waitMs: 2000 },
];

/** For processes that are stopped, and cannot handle SIGTERM. */
export const immediateSteps: readonly KillStep[] = [{ signal: "SIGKILL", waitMs: 2000 }];

/** For what a process has left behind after its exit. */
export const sweepSteps: readonly KillStep[] = [
  { signal: "SIGTERM", waitMs: 200 },
  { signal: "SIGKILL", waitMs: 2000 },
];

const pollIntervalMs = 10;

/** Ends all processes of a tree. Returns false if a process is still alive after the last step. */
export async function killProcessTree(root: ProcessTreeRoot, steps: readonly KillStep[]): Promise<boolean> {
  if (!existsSync("/proc/self/stat")) return killGroup(root.pid, steps);
  // Remember the members that were found: once a parent is gone, its children can no longer be found through it.
  let members = findProcessTree(root, []);
  for (const { signal, waitMs } of steps) {
    const signaled = new Set<number>();
    const deadline = performance.now() + waitMs;
    while (members.length > 0 && performance.now() < deadline) {
      for (const { pid } of members.filter((member) => !signaled.has(member.pid))) {
        sendSignal(pid, signal);
        signaled.add(pid);
      }
      await delay(pollIntervalMs);
      members = findProcessTree(root, members);
    }
  }
  return members.length === 0;
}

/**
 * Returns the living processes of a tree: group, descendants and marked processes of the root and of `known` members.
 */
export function findProcessTree(root: ProcessTreeRoot, known: readonly ProcessStatus[]): ProcessStatus[] {
  const alive = listProcesses();
  const startTimes = new Map(known.map((member) => [member.pid, member.startTime]));
  const memberPids = new Set<number>();
  for (const status of alive) {
    const isKnown = startTimes.get(status.pid) === status.startTime;
    if (isKnown || status.pid === root.pid || status.group === root.pid || hasEnvMarkers(status.pid, root.envMarkers)) {
      memberPids.add(status.pid);
    }
  }
  addDescendants(memberPids, alive);
  return alive.filter((status) => memberPids.has(status.pid) && !isZombieOrDead(status));
}

/** Returns the living descendants of a process, without the process itself. */
export function descendantsOf(ancestor: number): number[] {
  const alive = listProcesses();
  const memberPids = new Set([ancestor]);
  addDescendants(memberPids, alive);
  return alive
    .filter((status) => memberPids.has(status.pid) && status.pid !== ancestor && !isZombieOrDead(status))
    .map(({ pid }) => pid);
}

function addDescendants(memberPids: Set<number>, alive: readonly ProcessStatus[]): void {
  for (let previousSize = -1; previousSize !== memberPids.size;) {
    previousSize = memberPids.size;
    for (const { pid, parent } of alive) if (memberPids.has(parent)) memberPids.add(pid);
  }
}

/** Lists all processes except this one and pid 1. */
export function listProcesses(): ProcessStatus[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && pid > 1 && pid !== process.pid ? (readProcessStatus(pid) ?? []) : [];
  });
}

function hasEnvMarkers(pid: number, envMarkers: readonly string[]): boolean {
  if (envMarkers.length === 0) return false;
  try {
    const environment = Buffer.concat([Buffer.alloc(1), readFileSync(`/proc/${pid}/environ`)]);
    return envMarkers.every((marker) => environment.includes(`\0${marker}\0`));
  } catch {
    return false; // the process has ended or belongs to another user
  }
}

async function killGroup(group: number, steps: readonly KillStep[]): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    const deadline = performance.now() + waitMs;
    if (!sendSignal(-group, signal)) return true;
    while (performance.now() < deadline) {
      await delay(pollIntervalMs);
      if (!sendSignal(-group, 0)) return true;
    }
  }
  return false;
}

/** Returns false if the process has ended, or may not be signaled. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // the process has ended
  }
}
