import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** Every process of a session, found by looking at all processes and not by asking anybody. */
export function processesOf(session: string): { pid: number; command: string; parent: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, "latin1").split("\0");
        if (!environment.includes(`FAIRLEAD_SESSION=${basename(session)}`)) return [];
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return state === "Z" ? [] : [{ pid: Number(name), command, parent: Number(parent) }];
      } catch {
        return []; // it ended while we looked
      }
    });
}
