import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * Lists the processes of a session by reading the environment of every process in /proc. It does not ask the runtime,
 * so it also finds processes that the runtime has lost.
 */
export function listSessionProcesses(session: string): { pid: number; command: string; parent: number }[] {
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
        return []; // The process ended during the scan.
      }
    });
}
