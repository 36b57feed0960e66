import { FairleadError } from "@fairlead/contract";

// SQLITE_CORRUPT and SQLITE_NOTADB.
const damageCodes = new Set([11, 26]);
// SQLITE_BUSY, SQLITE_LOCKED and SQLITE_PROTOCOL: another connection holds a lock, possibly the one to start a read.
const busyCodes = new Set([5, 6, 15]);
// SQLITE_IOERR_FSYNC.
const failedSyncCode = 1034;

/** Converts an error of SQLite or the file system to a `FairleadError`. */
export function toJournalError(error: unknown): FairleadError {
  if (FairleadError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = isDamage(error) ? "corrupt" : "unavailable";
  return new FairleadError(code, `The journal file cannot be used: ${message}`, { cause: error });
}

/** Reports whether a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return busyCodes.has(resultCode(error) & 0xff);
}

/** Creates an error for a lock that SQLite reports as a result instead of throwing, so that `retryWhileBusy` retries. */
export function createBusyError(message: string): Error {
  return Object.assign(new Error(message), { errcode: 5 });
}

/** Reports whether SQLite found the file damaged. */
export function isDamage(error: unknown): boolean {
  // Node rejects integers above the safe range. The journal never writes such a number.
  const isOutOfRange = error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
  return isOutOfRange || damageCodes.has(resultCode(error) & 0xff);
}

/** Reports whether the disk failed a sync. The written bytes may or may not be on disk. */
export function isFailedSync(error: unknown): boolean {
  return resultCode(error) === failedSyncCode;
}

/** Returns SQLite's extended result code. Its lower byte is the primary code. */
function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
}
