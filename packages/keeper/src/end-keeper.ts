import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import { findKeeperProcess } from "./find-keeper-process.ts";
import { killOrphanedProcesses } from "./process/kill-orphaned-processes.ts";
import { killProcessTree } from "./process/kill-process-tree.ts";
import { isProcessAlive, readProcessStatus, type ProcessIdentity } from "./process/process-identity.ts";

/** Longer than a keeper takes to end an agent that ignores SIGTERM. */
const leaveTimeoutMs = 6000;
const killTimeoutMs = 5000;
const pollIntervalMs = 10;

/**
 * Ends the keeper of a session folder and every process of its agent by signals, so that an agent can be stopped whose
 * keeper does not answer or whose spool cannot be read. A keeper that still works ends its agent and records the exit;
 * otherwise the keeper and all its descendants are killed. Throws `unavailable` if a process survives that.
 */
export async function endKeeper(folder: string): Promise<void> {
  const keeper = findKeeperProcess(folder);
  const session = basename(resolve(folder));
  if (keeper !== null) {
    await askToLeave(keeper);
    if (isProcessAlive(keeper)) {
      const envMarkers = [`FAIRLEAD_SESSION=${session}`, `FAIRLEAD_KEEPER=${keeper.pid}`];
      await killProcessTree({ pid: keeper.pid, envMarkers }, [{ signal: "SIGKILL", waitMs: killTimeoutMs }]);
    }
    if (isProcessAlive(keeper))
      throw new FairleadError(
        "unavailable",
        `The keeper of session ${session}, process ${keeper.pid}, cannot be killed.`,
      );
  }
  // Without a namespace, processes of the agent survive the kill of their keeper.
  if (existsSync("/proc/self/stat")) await killOrphanedProcesses(session);
}

async function askToLeave(keeper: ProcessIdentity): Promise<void> {
  if (isStopped(keeper.pid)) return; // it would handle the signal only after it is continued
  process.kill(keeper.pid, "SIGTERM");
  for (const deadline = performance.now() + leaveTimeoutMs; performance.now() < deadline; await delay(pollIntervalMs)) {
    if (!isProcessAlive(keeper) || isStopped(keeper.pid)) return;
  }
}

/** Whether a process is stopped, by SIGSTOP or a debugger. */
function isStopped(pid: number): boolean {
  return readProcessStatus(pid)?.state.toLowerCase() === "t";
}
