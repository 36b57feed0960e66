import { rm, stat } from "node:fs/promises";
import { FairleadError } from "@fairlead/contract";
import type { Journal, LogTail } from "@fairlead/journal";
import { endKeeper } from "@fairlead/keeper";
import { isOwnerAlive } from "./owner.ts";

/** Milliseconds after which a folder that no process has claimed is abandoned. Older versions claim late. */
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
 * Whether a folder is what a killed start has left: its session has no event, and the process that claimed it no longer
 * runs. A start that is in progress in another process has a living owner.
 */
export async function isAbandonedStart(journal: Journal, session: string, folder: string): Promise<boolean> {
  const tail = await readTail(journal, session);
  if (tail === null || tail.last > 0) return false;
  if (tail.epoch > 0) return !isOwnerAlive(tail.owner);
  const { ctimeMs } = await stat(folder);
  return Date.now() - ctimeMs > unclaimedAge;
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
