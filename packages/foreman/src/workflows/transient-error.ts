import { FairleadError } from "@fairlead/contract";

/** Whether a step that failed with this error may succeed if it is repeated. */
export function isTransientStepError(error: unknown): boolean {
  return FairleadError.is(error, "unavailable") || FairleadError.is(error, "timed-out");
}

/** The milliseconds before attempt `attempt + 1` of a step: 250, doubled each time, at most 30 seconds. */
export function stepRetryDelay(attempt: number): number {
  return Math.min(250 * 2 ** Math.min(attempt - 1, 10), 30_000);
}
