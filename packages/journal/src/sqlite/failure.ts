import { FairleadError } from "@fairlead/contract";

// SQLite's primary result codes for a damaged file and for a file that is no database at all.
const damaged = new Set([11, 26]);
// Somebody else holds a lock: the file's, or the one that it takes to begin reading.
const busy = new Set([5, 6, 15]);
const failedSync = 1034;

/** What SQLite or the file system threw, in the contract's words. */
export function failure(error: unknown): FairleadError {
  if (FairleadError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = isDamage(error) ? "corrupt" : "unavailable";
  return new FairleadError(code, `The log's file cannot be used: ${message}`, { cause: error });
}

/** Whether it may work when it is tried again. */
export function isBusy(error: unknown): boolean {
  return busy.has(resultCode(error) & 0xff);
}

/** Whether SQLite has stumbled over a file that is not as it wrote it. */
export function isDamage(error: unknown): boolean {
  // Node refuses a number that is larger than any of ours.
  const isOutOfRange = error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
  return isOutOfRange || damaged.has(resultCode(error) & 0xff);
}

/** Whether the disk has refused to say that it has what was written: it may or may not. */
export function isFailedSync(error: unknown): boolean {
  return resultCode(error) === failedSync;
}

/** An extended code: its lower byte is the primary one. */
function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
}
