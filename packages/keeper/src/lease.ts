/** How long something may go on with nobody there for whom it does. */
export class Lease implements Disposable {
  readonly #duration: number;
  readonly #expired: () => void;
  #attending = 0;
  #lastSign = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** Calls `expired`, once, when for the whole duration nobody has attended and there was no sign of life. */
  constructor(duration: number, expired: () => void) {
    this.#duration = duration;
    this.#expired = expired;
    this.#wait();
  }

  /** Somebody is there, until disposed. */
  attend(): Disposable {
    this.#attending++;
    return {
      [Symbol.dispose]: () => {
        this.#attending--;
        this.renew();
      },
    };
  }

  /** There was a sign of life. */
  renew(): void {
    this.#lastSign = performance.now();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  /** Looks again when it could be over at the earliest, rather than begin anew with every sign. */
  #wait(): void {
    const left = this.#attending > 0 ? this.#duration : this.#lastSign + this.#duration - performance.now();
    if (left <= 0) return this.#expired();
    this.#timer = setTimeout(() => this.#wait(), Math.ceil(left));
    this.#timer.unref();
  }
}
