/** Chance that can be had again: the same seed gives the same numbers. */
export class Chance {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From `FAIRLEAD_SEED`, or a new one. Whoever uses it prints it. */
  static fromEnvironment(): Chance {
    return new Chance(Number(process.env["FAIRLEAD_SEED"] ?? Math.floor(Math.random() * 2 ** 32)));
  }

  /** A whole number from 0 up to, and without, the limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit);
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
