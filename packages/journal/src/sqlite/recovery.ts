import { existsSync, statSync, truncateSync } from "node:fs";
import { connectExclusively } from "./connect.ts";
import { isBusy } from "./sqlite-errors.ts";
import { readWalIndex, type WalIndex } from "./wal-index.ts";
import { readWriteAheadLog, type WriteAheadLog } from "./write-ahead-log.ts";

/** The assessment of a write-ahead log that a crash left behind. SQLite itself does not report one. */
export interface Recovery {
  /** The number of write-ahead log frames (database pages) up to the last intact commit. SQLite keeps them. */
  readonly framesKept: number;
  /** The number of bytes after them, which were discarded. */
  readonly bytesDiscarded: number;
  /**
   * - `intact`: nothing was discarded.
   * - `unfinished`: a commit was discarded that its writer apparently had not finished, so no append in it had resolved.
   *   A killed process leaves this behind. Without SQLite's index of the log (the `-shm` file), this verdict may also mean
   *   damage to the last commit, and `intact` may also mean a log that was cut between two commits.
   * - `damaged`: a finished commit is lost.
   */
  readonly verdict: "intact" | "unfinished" | "damaged";
}

/**
 * Assesses what a crash left behind and lets SQLite apply the intact part. Returns undefined when no write-ahead log is
 * left, or when a process has the file open and still uses the log.
 */
export function recover(file: string): Recovery | undefined {
  const walFile = `${file}-wal`;
  const indexFile = `${file}-shm`;
  if (!existsSync(walFile) && !existsSync(indexFile)) return undefined;
  if (statSync(file).size === 0) return undefined;
  try {
    // Closing the connection checkpoints the log into the database.
    using _ = connectExclusively(file);
    const walContents = existsSync(walFile) ? readWriteAheadLog(walFile) : undefined;
    const walIndex = readWalIndex(indexFile);
    const matchingIndex = walIndex !== undefined && describesLog(walIndex, walContents) ? walIndex : undefined;
    if (walContents === undefined && (walIndex?.committedFrames ?? 0) === 0) return undefined;
    const intactFrames = walContents?.intactFrames ?? 0;
    if (
      matchingIndex === undefined ||
      intactFrames >= matchingIndex.backfilledFrames ||
      matchingIndex.backfillAttemptedFrames > matchingIndex.backfilledFrames
    )
      return assessRecovery(walContents, matchingIndex);
    // The database already has newer pages than the intact part of the log. Applying the log would replace them with old
    // ones, so drop it.
    if (walContents !== undefined) truncateSync(walFile);
    return assessRecovery(
      {
        salts: matchingIndex.salts,
        intactFrames: matchingIndex.backfilledFrames,
        discardedBytes: 0,
        hasDiscardedFinishedCommit: false,
      },
      matchingIndex,
    );
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function assessRecovery(walContents: WriteAheadLog | undefined, matchingIndex: WalIndex | undefined): Recovery {
  const { intactFrames = 0, discardedBytes = 0 } = walContents ?? {};
  const hasLostCommit =
    matchingIndex === undefined
      ? walContents?.salts === undefined || walContents.hasDiscardedFinishedCommit
      : matchingIndex.committedFrames > intactFrames;
  return {
    framesKept: intactFrames,
    bytesDiscarded: discardedBytes,
    verdict: hasLostCommit ? "damaged" : discardedBytes > 0 ? "unfinished" : "intact",
  };
}

/** Reports whether the index belongs to this log: it may be older. A damaged log header cannot contradict the index. */
function describesLog({ salts }: WalIndex, log: WriteAheadLog | undefined): boolean {
  return log?.salts === undefined || (salts[0] === log.salts[0] && salts[1] === log.salts[1]);
}
