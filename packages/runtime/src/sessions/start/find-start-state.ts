import { stat } from "node:fs/promises";
import { FairleadError } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { Journal, LogTail } from "@fairlead/journal";

/** What became of a start that has a marker. A start that was abandoned has the end of its session's log. */
export type StartState = "finished" | "in-progress" | { readonly abandoned: LogTail };

export interface FindStartStateOptions {
  readonly session: string;
  readonly markerFile: string;
  /** The owner that calls this. It knows its own starts, so its claim of any other session was left by a failure. */
  readonly owner: string;
  readonly hosts: Pick<Hosts, "isAlive">;
  /** Milliseconds after which a start whose session no process has claimed is abandoned. */
  readonly unclaimedAge: number;
}

/**
 * Finds what became of a start that this process is not making. It is abandoned if its session has no event, and the
 * process that claimed it no longer runs. A start that is in progress in another process has a living owner.
 */
export async function findStartState(journal: Journal, options: FindStartStateOptions): Promise<StartState> {
  const { session, markerFile, owner, hosts, unclaimedAge } = options;
  const tail = await readTail(journal, session);
  if (tail === null || tail.last > 0) return "finished";
  if (tail.epoch > 0) {
    const isInProgress = tail.owner !== owner && (await hosts.isAlive(tail.owner));
    return isInProgress ? "in-progress" : { abandoned: tail };
  }
  // Earlier versions wrote the marker before they claimed the session.
  const { ctimeMs } = await stat(markerFile);
  return Date.now() - ctimeMs > unclaimedAge ? { abandoned: tail } : "in-progress";
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
