import { FairleadError } from "@fairlead/contract";

// SQLite's primary result codes for a damaged file and for a file that is no database at all.
const damaged = new Set([11, 26]);

/** What SQLite or the file system threw, in the contract's words. */
export function failure(error: unknown): FairleadError {
  if (FairleadError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = damaged.has(resultCode(error)) ? "corrupt" : "unavailable";
  return new FairleadError(code, `The log's file cannot be used: ${message}`, { cause: error });
}

/** Runs something that touches the file, so that only the contract's errors come out. */
export function attempt<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw failure(error);
  }
}

function resultCode(error: unknown): number {
  // The extended codes say more in the higher bits.
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}
