import { FairleadError } from "@fairlead/contract";
import { ConnectionLost } from "./connection-lost.ts";

/** Delays retries after lost connections, with exponential backoff and jitter, until a time limit. */
export class Backoff {
  readonly #maxElapsedMs: number;
  #firstFailureAt: number | null = null;
  #attempts = 0;

  /** `maxElapsedMs` is the time limit, counted from the first failure. */
  constructor(maxElapsedMs: number) {
    this.#maxElapsedMs = maxElapsedMs;
  }

  /** Restarts the time limit and the delays. Callers call it after a success. */
  reset(): void {
    this.#firstFailureAt = null;
    this.#attempts = 0;
  }

  /** Waits before the next attempt. Throws if the error is not `ConnectionLost` or the time limit is over. */
  async waitAfter(error: unknown, signal?: AbortSignal): Promise<void> {
    if (!(error instanceof ConnectionLost)) throw error;
    this.#firstFailureAt ??= Date.now();
    const delayMs = Math.min(50 * 2 ** this.#attempts, 2000) * (0.5 + Math.random() / 2);
    this.#attempts += 1;
    if (Date.now() + delayMs - this.#firstFailureAt > this.#maxElapsedMs) {
      throw new FairleadError("unavailable", error.message, { cause: error });
    }
    await delay(delayMs, signal);
  }
}

/** Resolves after a delay, or earlier when the signal aborts. The caller must check the signal. */
function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal?.addEventListener("abort", finish);
    if (signal?.aborted) finish();
  });
}
