import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Returns every running process whose command line contains the mark, from /proc. */
export function findMarkedProcesses(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        return command.includes(mark) && stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
      } catch {
        return false; // it ended during the scan
      }
    })
    .map(Number);
}

/** Returns the number that is left after a time limit. */
export async function countSurvivors(mark: string, timeout: number): Promise<number> {
  for (const deadline = performance.now() + timeout; performance.now() < deadline; await wait(20)) {
    if (findMarkedProcesses(mark).length === 0) return 0;
  }
  return findMarkedProcesses(mark).length;
}
