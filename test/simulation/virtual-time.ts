import type { KeeperClock } from "@fairlead/keeper";
import type { Clock } from "../../packages/runtime/src/actor/clock.ts";

interface ScheduledCallback {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that jumps from one scheduled callback to the next. */
export class VirtualTime implements Clock, KeeperClock {
  #now = Date.UTC(2026, 0, 1);
  readonly #queue = new Set<ScheduledCallback>();

  now(): number {
    return this.#now;
  }

  monotonic(): bigint {
    return BigInt(this.#now) * 1_000_000n;
  }

  after(milliseconds: number, callback: () => void): Disposable {
    const scheduled = { at: this.#now + Math.max(0, milliseconds), callback };
    this.#queue.add(scheduled);
    return { [Symbol.dispose]: () => void this.#queue.delete(scheduled) };
  }

  /** Runs the next callback and all promise reactions that follow from it. Returns false if none is scheduled. */
  async step(): Promise<boolean> {
    let next: ScheduledCallback | undefined;
    // Of callbacks due at the same time the first one scheduled runs first: a set keeps its order.
    for (const scheduled of this.#queue) if (next === undefined || scheduled.at < next.at) next = scheduled;
    if (next === undefined) return false;
    this.#queue.delete(next);
    this.#now = next.at;
    next.callback();
    await new Promise<void>((resolve) => setImmediate(resolve));
    return true;
  }
}
