import { endianness } from "node:os";

const native = endianness() === "LE";

/** SQLite's checksum of its write-ahead log: over all frames, so that one is right only after the right ones before it. */
export class WalSum {
  readonly #little: boolean;
  #one = 0;
  #two = 0;

  constructor(little: boolean) {
    this.#little = little;
  }

  add(bytes: DataView, from: number, to: number): void {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, (to - from) / 4);
    // As a rule the log comes from a machine like this one, and reading its words as they stand is much faster.
    const word =
      this.#little === native ? undefined : (index: number) => bytes.getInt32(from + 4 * index, this.#little);
    let [one, two] = [this.#one, this.#two];
    for (let index = 0; index < words.length; index += 2) {
      one = (one + (word?.(index) ?? words[index] ?? 0) + two) | 0;
      two = (two + (word?.(index + 1) ?? words[index + 1] ?? 0) + one) | 0;
    }
    [this.#one, this.#two] = [one, two];
  }

  is(one: number, two: number): boolean {
    return this.#one === (one | 0) && this.#two === (two | 0);
  }
}
