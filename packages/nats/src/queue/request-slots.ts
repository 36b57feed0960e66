interface WaitingRequest {
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Limits the requests under way. Thousands at once would all be answered too late and sent again, so that the servers had ever
 * more of them.
 */
export class RequestSlots {
  #free: number;
  readonly #waiting: WaitingRequest[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ since: performance.now(), resolve, reject });
    await promise;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next.resolve();
  }

  /** Rejects the requests that have waited for longer than a time, because the servers do not answer. */
  rejectWaiting(longerThanMs: number, error: Error): void {
    const limit = performance.now() - longerThanMs;
    while (this.#waiting[0] !== undefined && this.#waiting[0].since < limit) this.#waiting.shift()?.reject(error);
  }
}
