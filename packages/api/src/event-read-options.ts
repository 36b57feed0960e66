import { FairleadError } from "@fairlead/contract";
import { clipRange } from "./frames.ts";

/** Which events of a session `Fairlead.events` yields, and in what form. */
export interface EventReadOptions {
  /** Read the events after this sequence. 0 reads all events. */
  readonly after?: number;
  /**
   * Yield at most this number of events. Sequences have no gaps, so a reader of pages finds the page before an event by
   * subtraction. Not with `follow`.
   */
  readonly limit?: number;
  /**
   * Cut texts of an event that are longer than this number of UTF-16 code units, and list them in the field `clipped` of the
   * event. One event may have 16 MiB. A read with `after` and `limit: 1`, and without `clip`, has the whole event.
   */
  readonly clip?: number;
  /** Wait for new events until the session ends. */
  readonly follow?: boolean;
  /** Also yield deltas while following. */
  readonly deltas?: boolean;
  /** When it aborts, the iteration returns without an error. */
  readonly signal?: AbortSignal;
}

/** Throws `invalid-request` for a number that is out of range: the types do not have ranges. */
export function assertEventReadOptions({ after = 0, limit, clip, follow = false }: EventReadOptions): void {
  if (!Number.isSafeInteger(after) || after < 0) throw invalid("`after` is not a sequence number.");
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1))
    throw invalid("`limit` is not a number of events.");
  if (limit !== undefined && follow) throw invalid("`limit` cannot be combined with `follow`.");
  const { min, max } = clipRange;
  const isInRange = clip === undefined || (Number.isSafeInteger(clip) && clip >= min && clip <= max);
  if (!isInRange) throw invalid(`\`clip\` is not a number from ${min} to ${max}.`);
}

function invalid(message: string): FairleadError {
  return new FairleadError("invalid-request", message);
}
