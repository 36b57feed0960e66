import { readFileSync } from "node:fs";

/** Identifies a process even after its pid is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from the boot of the machine to the start of the process; 0 where there is no /proc. */
  readonly startTime: number;
  /** The id of the machine's current boot; empty where there is no /proc. */
  readonly bootId: string;
}

/** The fields of /proc/<pid>/stat that the keeper uses. */
export interface ProcessStatus {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly startTime: number;
}

/** Returns the identity of a living process, or null. A zombie counts as ended. */
export function readProcessIdentity(pid: number): ProcessIdentity | null {
  const bootId = readText("/proc/sys/kernel/random/boot_id");
  if (bootId === null) return respondsToSignals(pid) ? { pid, startTime: 0, bootId: "" } : null;
  const status = readProcessStatus(pid);
  if (status === null || isZombieOrDead(status)) return null;
  return { pid, startTime: status.startTime, bootId: bootId.trim() };
}

export function isProcessAlive(expected: ProcessIdentity): boolean {
  const current = readProcessIdentity(expected.pid);
  return current !== null && current.startTime === expected.startTime && current.bootId === expected.bootId;
}

export function isZombieOrDead(status: ProcessStatus): boolean {
  return status.state === "Z" || status.state === "X";
}

export function readProcessStatus(pid: number): ProcessStatus | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The program's name is in parentheses and may contain any character, so the fields start after the last parenthesis.
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
