/** Takes work from a pool, until it is stopped, and again after it is started. */
export class WorkIntake {
  readonly #take: (signal: AbortSignal) => Promise<void>;
  readonly #closing: AbortSignal;
  #stopped = AbortSignal.abort();
  #stop: () => void = () => {};
  #taking: Promise<void> = Promise.resolve();

  /** `take` takes work until the signal aborts, and resolves when the work that it has taken is done. It must not reject. */
  constructor(take: (signal: AbortSignal) => Promise<void>, closing: AbortSignal) {
    this.#take = take;
    this.#closing = closing;
  }

  /** Takes work again, when that which was taken before a stop is done. */
  start(): void {
    if (!this.#stopped.aborted) return;
    const stop = new AbortController();
    this.#stop = () => stop.abort();
    const signal = (this.#stopped = AbortSignal.any([this.#closing, stop.signal]));
    this.#taking = this.#taking.then(() => this.#take(signal));
  }

  /** Takes no more work. Resolves when that which was taken is done. */
  async stop(): Promise<void> {
    this.#stop();
    await this.settled();
  }

  /** Resolves when the work that was taken before a stop is done. */
  async settled(): Promise<void> {
    await this.#taking;
  }
}
