import type { Clock } from "../clock.ts";

interface Ringing {
  readonly at: number;
  readonly ring: () => void;
}

const realImmediate = setImmediate;

/** Time that passes only from one thing that happens to the next. */
export class VirtualTime implements Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly #queue = new Set<Ringing>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, ring: () => void): Disposable {
    const ringing = { at: this.#now + Math.max(0, milliseconds), ring };
    this.#queue.add(ringing);
    return { [Symbol.dispose]: () => void this.#queue.delete(ringing) };
  }

  /** Lets the next thing happen, with everything that follows from it at once. False when there is none. */
  async step(): Promise<boolean> {
    let next: Ringing | undefined;
    // What was set first rings first: a set keeps its order.
    for (const one of this.#queue) if (next === undefined || one.at < next.at) next = one;
    if (next === undefined) return false;
    this.#queue.delete(next);
    this.#now = next.at;
    next.ring();
    await new Promise<void>((resolve) => realImmediate(resolve));
    return true;
  }

  /** The keeper asks the process for the time; until disposed, it is told this one. */
  govern(): Disposable {
    const { setTimeout, clearTimeout } = globalThis;
    const dateNow = Date.now;
    const performanceNow = performance.now.bind(performance);
    const began = this.#now;
    const setVirtual = (ring: () => void, milliseconds = 0): object => {
      const timer = this.after(milliseconds, ring);
      return { ...timer, unref() {} };
    };
    Object.assign(globalThis, {
      setTimeout: setVirtual,
      clearTimeout: (timer: Disposable | undefined) => timer?.[Symbol.dispose](),
    });
    Date.now = () => this.#now;
    performance.now = () => this.#now - began;
    return {
      [Symbol.dispose]: () => {
        Object.assign(globalThis, { setTimeout, clearTimeout });
        Date.now = dateNow;
        performance.now = performanceNow;
      },
    };
  }
}
