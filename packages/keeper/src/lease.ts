import { type KeeperClock, systemClock } from "./keeper-clock.ts";

/** Limits how long a keeper runs without a client and without output from an agent. */
export class Lease implements Disposable {
  readonly #durationMs: number;
  readonly #onExpired: () => void;
  readonly #clock: KeeperClock;
  #holders = 0;
  #lastActivity: bigint;
  #timer: Disposable | undefined;

  /** Calls `onExpired` once, when for the whole duration there was no holder and no activity. */
  constructor(durationMs: number, onExpired: () => void, clock: KeeperClock = systemClock) {
    this.#durationMs = durationMs;
    this.#onExpired = onExpired;
    this.#clock = clock;
    this.#lastActivity = clock.monotonic();
    this.#scheduleCheck();
  }

  /** Adds a holder. The lease cannot expire until the holder is disposed. */
  acquire(): Disposable {
    this.#holders++;
    return {
      [Symbol.dispose]: () => {
        this.#holders--;
        this.renew();
      },
    };
  }

  /** Records activity: the duration starts again. */
  renew(): void {
    this.#lastActivity = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  /** Checks at the earliest possible expiry. A new timer for each `renew` would cost one per chunk of output. */
  #scheduleCheck(): void {
    const idleMs = Number(this.#clock.monotonic() - this.#lastActivity) / 1e6;
    const remainingMs = this.#holders > 0 ? this.#durationMs : this.#durationMs - idleMs;
    if (remainingMs <= 0) return this.#onExpired();
    this.#timer = this.#clock.after(Math.ceil(remainingMs), () => this.#scheduleCheck(), { background: true });
  }
}
