/** Reproducible random numbers: the same seed gives the same sequence. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** Uses `FAIRLEAD_SEED` or a new seed. The caller prints it. */
  static fromEnvironment(): SeededRandom {
    return new SeededRandom(Number(process.env["FAIRLEAD_SEED"] ?? Math.floor(Math.random() * 2 ** 32)));
  }

  /** An integer from 0 up to, but not including, the limit. */
  nextBelow(limit: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit);
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.nextBelow(items.length)] ?? items[0];
  }
}
