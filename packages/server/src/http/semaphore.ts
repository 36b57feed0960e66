/** Limits concurrency: up to `maxConcurrent` holders, up to `maxQueued` waiters, and a rejection for all others. */
export class Semaphore {
  readonly #queue: (() => void)[] = [];
  readonly #maxQueued: number;
  #available: number;

  constructor({ maxConcurrent, maxQueued }: { readonly maxConcurrent: number; readonly maxQueued: number }) {
    this.#available = maxConcurrent;
    this.#maxQueued = maxQueued;
  }

  /** Returns a slot that the caller disposes, or null if the queue is full. */
  async acquire(): Promise<Disposable | null> {
    if (this.#available > 0) this.#available -= 1;
    else if (this.#queue.length >= this.#maxQueued) return null;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    return { [Symbol.dispose]: () => this.#release() };
  }

  /** Passes the slot to the caller that has waited longest. */
  #release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#available += 1;
    else next();
  }
}
