import type { BytePatterns } from "./byte-patterns.ts";

/** A beginning of this length is not there by chance: it is masked although the rest of the text has not come. */
const maskedBeginningBytes = 8;

/**
 * Replaces texts in a stream whose chunks may split them anywhere. Holds back the end of a chunk only while it can be the
 * beginning of a text.
 */
export class StreamMasker {
  readonly #patterns: () => BytePatterns;
  /** The end of the data, as it came, from where a text may begin. */
  #held = Buffer.alloc(0);
  /** How many of the held bytes were returned by `release`. A text that continues them is still found. */
  #released = 0;

  /** `patterns` returns the texts to replace; it may return others later. */
  constructor(patterns: () => BytePatterns) {
    this.#patterns = patterns;
  }

  /** Whether bytes wait for the rest of a text. */
  get isHolding(): boolean {
    return this.#held.length > this.#released;
  }

  /** Takes a chunk, and returns the bytes that are settled. */
  push(chunk: Buffer): Buffer {
    const patterns = this.#patterns();
    const data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let output = data;
    let position = 0;
    let hold = patterns.findPossibleStart(data, 0);
    for (;;) {
      const match = patterns.find(data, position);
      // A longer text may begin where a shorter one is complete.
      if (match === null || match.start >= hold) break;
      if (output === data) output = Buffer.from(data);
      output.set(match.pattern.replacement, match.start);
      position = match.start + match.pattern.text.length;
      if (hold < position) hold = patterns.findPossibleStart(data, position);
    }
    const settled = output.subarray(this.#released, hold);
    this.#held = Buffer.from(data.subarray(hold)); // a copy, because the chunk may be large
    this.#released = Math.max(0, this.#released - hold);
    return settled;
  }

  /** Returns the bytes that are held back. They are masked if they are complete, or too many to be there by chance. */
  release(): Buffer {
    const held = this.#held;
    const patterns = this.#patterns();
    const pattern = held.length < maskedBeginningBytes ? undefined : patterns.findByStart(held);
    const output = Buffer.from(pattern?.replacement.subarray(0, held.length) ?? held);
    const match = patterns.find(held, 0);
    if (match?.start === 0) output.set(match.pattern.replacement);
    const unreleased = output.subarray(this.#released);
    this.#released = held.length;
    return unreleased;
  }
}
