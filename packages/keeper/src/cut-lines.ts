/** Longer than any honest frame: 16 MiB of text, with room for JSON's escapes. */
const maxLine = 64 * 1024 * 1024;

/** Cuts a stream into lines, without their ends. What has no end yet waits for it. */
export class CutLines {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(limit = maxLine) {
    this.#limit = limit;
  }

  /** The lines that a piece of the stream brings to their end. Throws when one is too long. */
  *of(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#length = 0;
      start = end + 1;
      yield line?.toString("utf8") ?? "";
    }
    const rest = chunk.subarray(start);
    this.#length += rest.length;
    if (this.#length > this.#limit) throw new RangeError(`A line may have ${this.#limit} bytes.`);
    if (rest.length > 0) this.#pieces.push(rest);
  }
}
