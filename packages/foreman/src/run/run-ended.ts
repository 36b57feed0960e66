import type { RunOutcome } from "@fairlead/api";

/** Ends a part of a run, and what depends on it, with an outcome other than `done`. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  readonly outcome: RunOutcome;

  constructor(outcome: RunOutcome, reason: string) {
    super(reason);
    this.outcome = outcome;
  }
}
