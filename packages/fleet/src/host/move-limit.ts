/** Limits how many sessions leave a host, or arrive on it, at the same time. */
export class MoveLimit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  place(): MovePlace {
    return new MovePlace(
      (signal) => this.#take(signal),
      () => this.#return(),
    );
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) return void (this.#free -= 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const abort = (): void => {
      const index = this.#waiting.indexOf(resolve);
      // One that has its place already returns it as usual.
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", abort, { once: true });
    await promise;
    signal.removeEventListener("abort", abort);
  }

  #return(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** The place of one session, which it takes at most once at a time. Disposing returns it. */
class MovePlace implements Disposable {
  readonly #take: (signal: AbortSignal) => Promise<void>;
  readonly #return: () => void;
  #isTaken = false;

  constructor(take: (signal: AbortSignal) => Promise<void>, returnPlace: () => void) {
    this.#take = take;
    this.#return = returnPlace;
  }

  async take(signal: AbortSignal): Promise<void> {
    if (this.#isTaken) return;
    await this.#take(signal);
    this.#isTaken = true;
  }

  return(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#return();
  }

  [Symbol.dispose](): void {
    this.return();
  }
}
