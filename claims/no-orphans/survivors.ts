import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Every living process whose command line holds the mark, found by looking at all processes and asking nobody. */
export function marked(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        return command.includes(mark) && stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

/** How many are left after they have had this long to go. */
export async function survivors(mark: string, patience: number): Promise<number> {
  for (const deadline = performance.now() + patience; performance.now() < deadline; await wait(20)) {
    if (marked(mark).length === 0) return 0;
  }
  return marked(mark).length;
}
