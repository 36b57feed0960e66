/** How many ended keys keep their number. What refers to an earlier one names it by its key. */
const maxEnded = 256;

/** Numbers calls or decisions in the order of their requests. Its memory does not grow with the session. */
export class Numbering {
  readonly #open = new Map<string, number>();
  readonly #ended = new Map<string, number>();
  #count = 0;

  /** Gives a key the next number. An agent may use a key again. */
  begin(key: string): number {
    this.#count += 1;
    this.#open.set(key, this.#count);
    this.#ended.delete(key);
    return this.#count;
  }

  /** Returns the number of a key, if it is known. */
  numberOf(key: string): number | undefined {
    return this.#open.get(key) ?? this.#ended.get(key);
  }

  end(key: string): void {
    const number = this.#open.get(key);
    if (number === undefined) return;
    this.#open.delete(key);
    this.#ended.set(key, number);
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= maxEnded) break;
      this.#ended.delete(oldest);
    }
  }
}
