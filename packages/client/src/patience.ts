import { FairleadError } from "@fairlead/contract";
import { ConnectionLost } from "./connection-lost.ts";

/** Tries again what a broken connection has cut off: soon at first, then more slowly, until the time is up. */
export class Patience {
  readonly #limit: number;
  #since: number | null = null;
  #tries = 0;

  /** `limit`: for how many milliseconds, counted from the first failure. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Something came through: the next failure is the first one again. */
  renew(): void {
    this.#since = null;
    this.#tries = 0;
  }

  /** Waits as long as is right after this failure; throws when it is none to try again after, or the time is up. */
  async after(error: unknown, signal?: AbortSignal): Promise<void> {
    if (!(error instanceof ConnectionLost)) throw error;
    this.#since ??= Date.now();
    const pause = Math.min(50 * 2 ** this.#tries, 2000) * (0.5 + Math.random() / 2);
    this.#tries += 1;
    if (Date.now() + pause - this.#since > this.#limit) {
      throw new FairleadError("unavailable", error.message, { cause: error });
    }
    await delay(pause, signal);
  }
}

/** Ends early when it is called off; whoever waits looks at the signal himself. */
function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}
