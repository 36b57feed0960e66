import { readFileSync } from "node:fs";
import { processStatus } from "./process-identity.ts";
import { killTree, listProcesses, sweepLadder } from "./process-tree.ts";

/**
 * Ends what a killed keeper has left of a session: whoever carries the session's name and the number of a keeper that
 * is no more. A session of the same name elsewhere has a living keeper, and is spared.
 */
export async function endLeftovers(session: string): Promise<void> {
  const name = `FAIRLEAD_SESSION=${session}`;
  const keepers = new Set<string>();
  for (const { pid, startTime } of listProcesses()) {
    const environment = environmentOf(pid);
    const keeper = environment.find((entry) => entry.startsWith("FAIRLEAD_KEEPER="));
    if (keeper !== undefined && environment.includes(name) && !couldHaveStarted(keeper, startTime)) keepers.add(keeper);
  }
  await Promise.all([...keepers].map((keeper) => killTree({ pid: -1, marks: [name, keeper] }, sweepLadder)));
}

/** Whether the process with the keeper's number is old enough to be the keeper, and no later one with its number. */
function couldHaveStarted(mark: string, startTime: number): boolean {
  const pid = Number(mark.slice(mark.indexOf("=") + 1));
  const status = pid === process.pid ? null : processStatus(pid);
  return status !== null && status.startTime <= startTime;
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // it has ended, or it belongs to somebody else
  }
}
