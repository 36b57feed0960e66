import { existsSync } from "node:fs";
import { findProcessTree, sendSignal, type ProcessTreeRoot } from "./kill-process-tree.ts";
import { readProcessStatus, type ProcessStatus } from "./process-identity.ts";

/** Milliseconds between two looks for processes that still run. Doubled while there are some. */
const firstPauseMs = 5;
const maxPauseMs = 200;

/**
 * Stops all processes of a tree, and continues them later. A process that forks while it is stopped may leave a child that
 * runs, so the freezer looks again until two looks in a row find nothing that runs.
 */
export class ProcessFreezer {
  readonly #findRoot: () => ProcessTreeRoot | null;
  /** The processes that were found, by pid. */
  readonly #known = new Map<number, ProcessStatus>();
  /** Those of them that were stopped here, parents before their children. */
  #stopped: ProcessStatus[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isFrozen = false;

  /** `findRoot` returns null if nothing was started. */
  constructor(findRoot: () => ProcessTreeRoot | null) {
    this.#findRoot = findRoot;
  }

  freeze(): void {
    if (this.#isFrozen) return;
    this.#isFrozen = true;
    this.#stopRunning(firstPauseMs, 0);
  }

  /**
   * Children continue before their parents: a shell that continued first would see that its job is stopped, and take the
   * terminal from it.
   */
  thaw(): void {
    if (!this.#isFrozen) return;
    this.release();
    if (!hasProcessList()) this.#signalGroup("SIGCONT");
    for (const { pid, startTime } of this.#stopped.toReversed()) {
      if (readProcessStatus(pid)?.startTime === startTime) sendSignal(pid, "SIGCONT");
    }
    this.#stopped = [];
    this.#known.clear();
  }

  /** Looks for no more processes. For a tree that is killed: a stopped process ends by SIGKILL too. */
  release(): void {
    this.#isFrozen = false;
    clearTimeout(this.#timer);
  }

  #stopRunning(pauseMs: number, quietLooks: number): void {
    const root = this.#findRoot();
    if (root === null) return;
    if (!hasProcessList()) return this.#signalGroup("SIGSTOP");
    const isQuiet = !this.#stopMembers(findProcessTree(root, [...this.#known.values()]));
    if (isQuiet && quietLooks > 0) return;
    const nextPauseMs = isQuiet ? firstPauseMs : Math.min(pauseMs * 2, maxPauseMs);
    this.#timer = setTimeout(() => this.#stopRunning(nextPauseMs, isQuiet ? 1 : 0), pauseMs);
  }

  /** Returns whether a member still ran. */
  #stopMembers(members: readonly ProcessStatus[]): boolean {
    let hasRunning = false;
    for (const member of sortByDepth(members)) {
      const isKnown = this.#known.get(member.pid)?.startTime === member.startTime;
      // Another program may have stopped it, for example a debugger or a person's Ctrl-Z. It then stays stopped.
      const isRunning = member.state !== "T" && member.state !== "t";
      if (!isKnown) {
        this.#known.set(member.pid, member);
        if (!isRunning) continue;
        if (sendSignal(member.pid, "SIGSTOP")) this.#stopped.push(member);
        // A process of another user cannot be signaled, and is not waited for. One that has ended may have left a child.
        else if (readProcessStatus(member.pid)?.startTime === member.startTime) continue;
        hasRunning = true;
      } else if (isRunning && this.#stopped.some(({ pid }) => pid === member.pid)) {
        // One that waits in the kernel for its child or a disk stops before it runs a single instruction.
        if (member.state !== "D") hasRunning = true;
      }
    }
    return hasRunning;
  }

  #signalGroup(signal: NodeJS.Signals): void {
    const root = this.#findRoot();
    if (root !== null && root.pid > 1) sendSignal(-root.pid, signal);
  }
}

/** Without a list of processes, as on macOS, only the process group is known. */
const hasProcessList = (): boolean => existsSync("/proc/self/stat");

/** Parents first, so that a parent cannot react to the stop of its child. */
function sortByDepth(members: readonly ProcessStatus[]): ProcessStatus[] {
  const parents = new Map(members.map(({ pid, parent }) => [pid, parent]));
  const depthOf = (pid: number): number => {
    let depth = 0;
    for (let next = parents.get(pid); next !== undefined && depth < members.length; next = parents.get(next)) depth++;
    return depth;
  };
  return members
    .map((member) => ({ member, depth: depthOf(member.pid) }))
    .toSorted((one, other) => one.depth - other.depth)
    .map(({ member }) => member);
}
