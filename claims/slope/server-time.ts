import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Returns the seconds that processors have worked for processes until now. */
export function readProcessorSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    // The name of the program may have spaces, and ends with the last parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }, 0);
}

/** Returns the processors that idle servers use, as a share of one. */
export async function measureIdle(pids: readonly number[], seconds: number): Promise<number> {
  const before = readProcessorSeconds(pids);
  const start = performance.now();
  await delay(seconds * 1000);
  return (readProcessorSeconds(pids) - before) / ((performance.now() - start) / 1000);
}

export interface MeasuredWork {
  readonly count: number;
  readonly seconds: number;
  /** Seconds of the servers' processors, without what they use when idle. */
  readonly busySeconds: number;
}

/** Measures the servers while work is done. The work returns how often it was done. */
export async function measureWork(
  pids: readonly number[],
  idle: number,
  work: () => Promise<number>,
): Promise<MeasuredWork> {
  const before = readProcessorSeconds(pids);
  const start = performance.now();
  const count = await work();
  const seconds = (performance.now() - start) / 1000;
  return { count, seconds, busySeconds: Math.max(0, readProcessorSeconds(pids) - before - idle * seconds) };
}
