import { readFileSync } from "node:fs";
import { readProcessStatus } from "./process-identity.ts";
import { killProcessTree, listProcesses, sweepSteps } from "./kill-process-tree.ts";

/**
 * Ends the processes that a killed keeper has left behind in a session: those whose environment has the session's name
 * and the pid of a keeper that no longer exists. A session of the same name elsewhere has a living keeper and is not
 * touched.
 */
export async function killOrphanedProcesses(session: string): Promise<void> {
  const sessionMarker = `FAIRLEAD_SESSION=${session}`;
  const keeperMarkers = new Set<string>();
  for (const { pid, startTime } of listProcesses()) {
    const environment = readEnvironment(pid);
    const keeperMarker = environment.find((entry) => entry.startsWith("FAIRLEAD_KEEPER="));
    if (keeperMarker !== undefined && environment.includes(sessionMarker) && !couldHaveStarted(keeperMarker, startTime))
      keeperMarkers.add(keeperMarker);
  }
  await Promise.all(
    [...keeperMarkers].map((keeperMarker) =>
      killProcessTree({ pid: -1, envMarkers: [sessionMarker, keeperMarker] }, sweepSteps),
    ),
  );
}

/**
 * Whether the process with the keeper's pid is older than the agent. A younger one is another process with a reused
 * pid.
 */
function couldHaveStarted(keeperMarker: string, startTime: number): boolean {
  const pid = Number(keeperMarker.slice(keeperMarker.indexOf("=") + 1));
  const status = pid === process.pid ? null : readProcessStatus(pid);
  return status !== null && status.startTime <= startTime;
}

function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return []; // the process has ended or belongs to another user
  }
}
