import type { KeeperClock } from "../../../keeper/src/keeper-clock.ts";

interface ManualTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test advances it. */
export class ManualClock implements KeeperClock {
  readonly #timers = new Set<ManualTimer>();
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  monotonic(): bigint {
    return BigInt(this.#now) * 1_000_000n;
  }

  after(milliseconds: number, callback: () => void): Disposable {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Moves the clock and calls the timers that are due, in order, including timers that these start. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let timer = this.#nextTimer(end); timer !== undefined; timer = this.#nextTimer(end)) {
      this.#timers.delete(timer);
      this.#now = timer.at;
      timer.callback();
    }
    this.#now = end;
  }

  #nextTimer(end: number): ManualTimer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
  }
}
