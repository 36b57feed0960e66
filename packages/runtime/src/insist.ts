import { pause, type Clock } from "./clock.ts";

/** How long to wait before trying again what does not work for now, as when the disk is full. */
const patience = 250;

export interface Insistence {
  readonly clock: Clock;
  /** When it aborts, the next failure is final. */
  readonly signal: AbortSignal;
  /** Whether a failure may pass. */
  readonly passes: (error: unknown) => boolean;
}

/** Tries until it works, or fails in a way that will not pass. */
export async function insist<Result>(attempt: () => Result, insistence: Insistence): Promise<Awaited<Result>> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (insistence.signal.aborted || !insistence.passes(error)) throw error;
      await pause(insistence.clock, patience, insistence.signal);
    }
  }
}
