/** Longer than any valid request: 16 MiB of text plus JSON escapes. */
const maxLineBytes = 64 * 1024 * 1024;

/**
 * Splits a byte stream into lines without their terminators and buffers an incomplete line.
 *
 * The kit package has its own splitter for the output of agents, with another contract: it is pure, its remainder can
 * be stored as JSON, it drops empty lines and carriage returns, and it reports invalid UTF-8 and long lines as data. On
 * a keeper's socket a line that is too long is an error that ends the connection. The keeper may not import kit.
 */
export class SocketLineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(maxBytes = maxLineBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Yields the lines that a chunk completes. Throws a RangeError if a line is too long. */
  *push(chunk: Buffer): Generator<string> {
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
    if (this.#length > this.#maxBytes)
      throw new RangeError(`The line is too long: the limit is ${this.#maxBytes} bytes.`);
    if (rest.length > 0) this.#pieces.push(rest);
  }
}

/** Yields the lines of a stream. Drops an incomplete last line: its sender died while writing it. */
export async function* readSocketLines(stream: AsyncIterable<Buffer>, maxBytes?: number): AsyncGenerator<string> {
  const splitter = new SocketLineSplitter(maxBytes);
  for await (const chunk of stream) yield* splitter.push(chunk);
}
