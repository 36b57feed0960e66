import type { Caller } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

const maxKeyLength = 200;

/**
 * Makes the idempotency key of a caller unique among all callers. The store, and the ids of sessions, turns and records,
 * use the result. Otherwise a caller that guesses the next key of another one could decide the outcome of its command. A
 * key has no space, so the two parts cannot be confused. The owner's keys stay as they are, as in older stores.
 */
export function scopeKey(key: string, caller?: Caller): string {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > maxKeyLength) {
    throw new FairleadError(
      "invalid-request",
      `Invalid idempotency key: it must have 1 to ${maxKeyLength} visible ASCII characters and no spaces.`,
    );
  }
  return caller === undefined || caller.id === null ? key : `${caller.id} ${key}`;
}
