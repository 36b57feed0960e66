/** How long after something was said it is first looked at whether anybody is left to hear it. */
const soonest = 500;
const latest = 5 * 60 * 1000;

export interface InputWatchOptions {
  /** Whether nobody listens any more, as far as can be told: false when in doubt. */
  readonly isClosed: () => boolean;
  /** Called once, when that was found twice in a row. */
  readonly closed: () => void;
  /** The shortest time between two looks, in milliseconds. */
  readonly soonest?: number;
}

/**
 * Notices that a process lives on but has closed its standard input. It looks a while after something was said, then
 * after twice that time and so on for some minutes, and not again until something is said: an idle session costs nothing,
 * and a busy one no more than two looks a second.
 */
export class InputWatch implements Disposable {
  readonly #options: InputWatchOptions;
  readonly #soonest: number;
  #pause: number;
  #timer: NodeJS.Timeout | undefined;
  #suspected = false;
  #over = false;

  constructor(options: InputWatchOptions) {
    this.#options = options;
    this.#soonest = options.soonest ?? soonest;
    this.#pause = this.#soonest;
  }

  said(): void {
    // A look that is near stays where it is: else who is told something again and again would never be looked at.
    const isNear = this.#timer !== undefined && this.#pause === this.#soonest;
    if (!isNear) this.#lookAfter(this.#soonest);
  }

  [Symbol.dispose](): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #lookAfter(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pause = pause;
    if (this.#over || pause > latest) return;
    this.#timer = setTimeout(() => this.#look(), pause);
    this.#timer.unref();
  }

  /** One look may miss an input that is just being handed on; and who closes it on the way out is gone at the second. */
  #look(): void {
    const isClosed = this.#options.isClosed();
    if (isClosed && this.#suspected) {
      this[Symbol.dispose]();
      return this.#options.closed();
    }
    this.#suspected = isClosed;
    this.#lookAfter(isClosed ? this.#soonest : this.#pause * 2);
  }
}
