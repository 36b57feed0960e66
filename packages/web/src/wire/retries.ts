import { FairleadError } from "@fairlead/contract";
import { waitOrOnline } from "./wait-or-online.ts";

/** Why something cannot be read now. */
export interface ReadFailure {
  readonly error: unknown;
  /** Whether another attempt would fail in the same way, so that none is made. */
  readonly isFinal: boolean;
}

/** Delays grow, because every open page of a service that fails repeats its reads. A person can ask for an attempt at once. */
const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

const finalCodes = ["session-not-found", "not-allowed", "invalid-request"] as const;

/** Repeats reads that fail, with growing delays, and reports what fails now. */
export class Retries {
  readonly #report: (failure: ReadFailure | null) => void;
  readonly #wait: typeof waitOrOnline;
  readonly #failures = new Map<string, ReadFailure>();
  #wake = new AbortController();

  constructor(report: (failure: ReadFailure | null) => void, wait = waitOrOnline) {
    this.#report = report;
    this.#wait = wait;
  }

  /**
   * Attempts a read until it succeeds. Returns null if it fails finally, or the signal aborts. A read that lasts, such as
   * a stream, calls `onWorks` as soon as it works: what it reports after that is a new failure.
   */
  async run<Result>(
    read: string,
    attempt: (onWorks: () => void) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result | null> {
    let failures = 0;
    const onWorks = (): void => {
      failures = 0;
      this.#set(read, null);
    };
    while (!signal.aborted) {
      const wake = this.#wake.signal;
      try {
        const result = await attempt(onWorks);
        if (!signal.aborted) onWorks();
        return result;
      } catch (error) {
        if (signal.aborted) return null;
        const isFinal = finalCodes.some((code) => FairleadError.is(error, code));
        this.#set(read, { error, isFinal });
        if (isFinal) return null;
      }
      // The attempt began before the connection was back, and ended with the lost one.
      if (wake.aborted) {
        failures = 0;
        continue;
      }
      const delayMs = Math.min(firstDelayMs * 2 ** failures, maxDelayMs);
      await this.#wait(delayMs, AbortSignal.any([signal, wake]));
      failures += 1;
    }
    return null;
  }

  /** Attempts at once what waits for its next attempt. */
  now(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** Forgets the failure of a read that is no longer wanted. */
  forget(read: string): void {
    this.#set(read, null);
  }

  #set(read: string, failure: ReadFailure | null): void {
    if (failure !== null) this.#failures.set(read, failure);
    else if (!this.#failures.delete(read)) return;
    const all = [...this.#failures.values()];
    // One that stays is more important than one that may pass.
    this.#report(all.find(({ isFinal }) => isFinal) ?? all[0] ?? null);
  }
}
