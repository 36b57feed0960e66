import { endianness } from "node:os";

const isLittleEndianHost = endianness() === "LE";

/** SQLite's cumulative checksum of its write-ahead log: a frame matches only if all frames before it do. */
export class WalChecksum {
  readonly #isLittleEndian: boolean;
  #s0 = 0;
  #s1 = 0;

  constructor(isLittleEndian: boolean) {
    this.#isLittleEndian = isLittleEndian;
  }

  add(bytes: DataView, from: number, to: number): void {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + from, (to - from) / 4);
    // The log usually comes from a machine with the same byte order, and reading native words is much faster.
    const readSwapped =
      this.#isLittleEndian === isLittleEndianHost
        ? undefined
        : (index: number) => bytes.getInt32(from + 4 * index, this.#isLittleEndian);
    let [s0, s1] = [this.#s0, this.#s1];
    for (let index = 0; index < words.length; index += 2) {
      s0 = (s0 + (readSwapped?.(index) ?? words[index] ?? 0) + s1) | 0;
      s1 = (s1 + (readSwapped?.(index + 1) ?? words[index + 1] ?? 0) + s0) | 0;
    }
    [this.#s0, this.#s1] = [s0, s1];
  }

  matches(s0: number, s1: number): boolean {
    return this.#s0 === (s0 | 0) && this.#s1 === (s1 | 0);
  }
}
