import { existsSync, statSync, truncateSync } from "node:fs";
import { connectAlone } from "./connect.ts";
import { isBusy } from "./failure.ts";
import { readWalIndex, type WalIndex } from "./wal-index.ts";
import { readWriteAheadLog, type WriteAheadLog } from "./write-ahead-log.ts";

/** What was found in the write-ahead log that a crash had left behind. SQLite itself says nothing of it. */
export interface Recovery {
  /** How many of the log's frames were kept: pages of the database, those up to the last intact commit. */
  readonly framesKept: number;
  /** How many bytes after them were left out. */
  readonly bytesLeftOut: number;
  /**
   * - `intact`: nothing was left out.
   * - `unfinished`: a commit was left out that its writer does not seem to have finished; then nobody had been told
   *   that it was written. This is what a killed process leaves. Without SQLite's index beside the log (its `-shm` file)
   *   it cannot be told from damage to the very last commit, nor a log that was cut between two commits from an
   *   `intact` one.
   * - `damaged`: a commit is gone that had been finished.
   */
  readonly verdict: "intact" | "unfinished" | "damaged";
}

/**
 * Looks at what a crash has left behind, and lets SQLite take in what is intact. It does nothing when there is nothing
 * left behind, or when somebody has the file open: then the log is theirs, and alive.
 */
export function recover(file: string): Recovery | undefined {
  const log = `${file}-wal`;
  const index = `${file}-shm`;
  if (!existsSync(log) && !existsSync(index)) return undefined;
  if (statSync(file).size === 0) return undefined;
  try {
    // Closing it empties the log into the database.
    using _ = connectAlone(file);
    const found = existsSync(log) ? readWriteAheadLog(log) : undefined;
    const told = readWalIndex(index);
    const known = told !== undefined && isAbout(told, found) ? told : undefined;
    if (found === undefined && (told?.committed ?? 0) === 0) return undefined;
    const kept = found?.kept ?? 0;
    if (known === undefined || kept >= known.inDatabase || known.begun > known.inDatabase) return judge(found, known);
    // The damaged log would lay old pages over newer ones that are in the database already; without it, all is well.
    if (found !== undefined) truncateSync(log);
    return judge({ salts: known.salts, kept: known.inDatabase, leftOut: 0, finishedAfter: false }, known);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function judge(found: WriteAheadLog | undefined, known: WalIndex | undefined): Recovery {
  const { kept = 0, leftOut = 0 } = found ?? {};
  const lost = known === undefined ? found?.salts === undefined || found.finishedAfter : known.committed > kept;
  return { framesKept: kept, bytesLeftOut: leftOut, verdict: lost ? "damaged" : leftOut > 0 ? "unfinished" : "intact" };
}

/** An index may be older than the log; and it is all there is when the log's own header is damaged. */
function isAbout({ salts }: WalIndex, log: WriteAheadLog | undefined): boolean {
  return log?.salts === undefined || (salts[0] === log.salts[0] && salts[1] === log.salts[1]);
}
