import { sleep, type Clock } from "./clock.ts";

/** Milliseconds between two attempts, for example while the disk is full. */
export const retryDelay = 250;

export interface RetryOptions {
  readonly clock: Clock;
  /** After it aborts, the next failure is final. */
  readonly signal: AbortSignal;
  /** Whether another attempt may succeed. By default every failure is transient. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** Repeats an attempt until it succeeds or fails with an error that is not transient. */
export async function retryUntil<Result>(attempt: () => Result, options: RetryOptions): Promise<Awaited<Result>> {
  const { clock, signal, isTransient = () => true } = options;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error;
      await sleep(clock, retryDelay, signal);
    }
  }
}
