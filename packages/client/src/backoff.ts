import { FairleadError } from "@fairlead/contract";
import { ConnectionLost } from "./connection-lost.ts";
import { delay } from "./delay.ts";
import { ServiceUnavailable } from "./service-unavailable.ts";

export interface BackoffOptions {
  /** The time limit once the service has answered that it is unavailable, in milliseconds. Default: the usual one. */
  readonly maxOutageMs?: number;
  /**
   * Called once between two successes with the reason, if the service is unavailable, or if a lost
   * connection is not there again at the first attempt.
   */
  readonly onRetry?: ((reason: string) => void) | undefined;
}

/** Delays retries after lost connections, with exponential backoff and jitter, until a time limit. */
export class Backoff {
  readonly #maxElapsedMs: number;
  readonly #maxOutageMs: number;
  readonly #onRetry: BackoffOptions["onRetry"];
  #firstFailureAt: number | null = null;
  #attempts = 0;
  #isOutage = false;
  #isReported = false;

  /** `maxElapsedMs` is the time limit, counted from the first failure. */
  constructor(maxElapsedMs: number, { maxOutageMs = maxElapsedMs, onRetry }: BackoffOptions = {}) {
    this.#maxElapsedMs = maxElapsedMs;
    this.#maxOutageMs = maxOutageMs;
    this.#onRetry = onRetry;
  }

  /** Restarts the time limit and the delays. Callers call it after a success. */
  reset(): void {
    this.#firstFailureAt = null;
    this.#attempts = 0;
    this.#isOutage = false;
    this.#isReported = false;
  }

  /** Waits before the next attempt. Throws if the error is not `ConnectionLost` or the time limit is over. */
  async waitAfter(error: unknown, signal?: AbortSignal): Promise<void> {
    if (!(error instanceof ConnectionLost)) throw error;
    this.#firstFailureAt ??= Date.now();
    // A browser does not learn why a connection was refused, so the limit is the same for the rest of the outage.
    this.#isOutage ||= error instanceof ServiceUnavailable;
    const maxElapsedMs = this.#isOutage ? this.#maxOutageMs : this.#maxElapsedMs;
    const delayMs = Math.min(50 * 2 ** this.#attempts, 2000) * (0.5 + Math.random() / 2);
    this.#attempts += 1;
    if (Date.now() + delayMs - this.#firstFailureAt > maxElapsedMs) {
      throw new FairleadError("unavailable", error.message, { cause: error });
    }
    if (!this.#isReported && (this.#isOutage || this.#attempts > 1)) {
      this.#isReported = true;
      this.#onRetry?.(error.message);
    }
    await delay(delayMs, signal);
  }
}
