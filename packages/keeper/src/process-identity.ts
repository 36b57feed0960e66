import { readFileSync } from "node:fs";

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from the boot of the machine to the start of the process; 0 where there is no /proc. */
  readonly startTime: number;
  /** Which boot of the machine; empty where there is no /proc. */
  readonly bootId: string;
}

/** What /proc says of a process. */
export interface ProcessStatus {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly startTime: number;
}

/** The identity of a living process, or null. A zombie has ended, even if nobody has collected it yet. */
export function identity(pid: number): ProcessIdentity | null {
  const bootId = readText("/proc/sys/kernel/random/boot_id");
  if (bootId === null) return respondsToSignals(pid) ? { pid, startTime: 0, bootId: "" } : null;
  const status = processStatus(pid);
  if (status === null || hasEnded(status)) return null;
  return { pid, startTime: status.startTime, bootId: bootId.trim() };
}

export function isAlive(known: ProcessIdentity): boolean {
  const now = identity(known.pid);
  return now !== null && now.startTime === known.startTime && now.bootId === known.bootId;
}

export function hasEnded(status: ProcessStatus): boolean {
  return status.state === "Z" || status.state === "X";
}

export function processStatus(pid: number): ProcessStatus | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name of the program stands in brackets and may hold anything, so count from the last bracket.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    state: fields[0] ?? "X",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startTime: Number(fields[19]),
  };
}

function respondsToSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null;
  }
}
