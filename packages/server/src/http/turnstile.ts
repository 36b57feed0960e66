/** Lets some through at once, has some more wait for their turn, and turns the others away. */
export class Turnstile {
  readonly #waiting: (() => void)[] = [];
  readonly #longest: number;
  #free: number;

  constructor({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
    this.#free = atOnce;
    this.#longest = waiting;
  }

  /** A place, to be disposed of by whoever has it; null when too many wait already. */
  async enter(): Promise<Disposable | null> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#waiting.length >= this.#longest) return null;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** The place goes to whoever has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
