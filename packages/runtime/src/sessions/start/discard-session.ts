import { rm, stat } from "node:fs/promises";
import { FairleadError } from "@fairlead/contract";
import type { Journal, LogTail } from "@fairlead/journal";
import { endKeeper } from "@fairlead/keeper";
import { isOwnerAlive } from "../owner.ts";

/** Milliseconds after which a start whose session no process has claimed is abandoned. */
const unclaimedAge = 60_000;

/** Ends the keeper of a session that has no events, and removes its folder and its claim. */
export async function discardSession(journal: Journal, session: string, folder: string): Promise<void> {
  const { epoch, last, fence } = await journal.tail(session);
  if (last > 0) throw new FairleadError("conflict", `Session ${session} has events. It can be ended, not discarded.`);
  // First, so that it fails if another process has claimed the session to start it again.
  if (epoch > 0) await journal.forget(session, fence);
  await endKeeper(folder);
  await rm(folder, { recursive: true, force: true });
}

/**
 * What became of a start, by its marker. It is abandoned if its session has no event, and the process that claimed it no
 * longer runs. A start that is in progress in another process has a living owner.
 */
export async function findStartState(
  journal: Journal,
  session: string,
  markerFile: string,
): Promise<"finished" | "in-progress" | "abandoned"> {
  const tail = await readTail(journal, session);
  if (tail === null || tail.last > 0) return "finished";
  if (tail.epoch > 0) return isOwnerAlive(tail.owner) ? "in-progress" : "abandoned";
  const { ctimeMs } = await stat(markerFile);
  return Date.now() - ctimeMs > unclaimedAge ? "abandoned" : "in-progress";
}

/** Returns null if the end of the session's journal is damaged. It is a session then, although its events cannot be read. */
async function readTail(journal: Journal, session: string): Promise<LogTail | null> {
  try {
    return await journal.tail(session);
  } catch (error) {
    if (FairleadError.is(error, "corrupt")) return null;
    throw error;
  }
}
