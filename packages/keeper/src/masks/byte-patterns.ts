/** A text to find, and the text of the same length that replaces it. */
export interface BytePattern {
  readonly text: Buffer;
  readonly replacement: Buffer;
}

export interface PatternMatch {
  readonly start: number;
  readonly pattern: BytePattern;
}

const newline = 0x0a;
const maxShift = 255;

/**
 * Finds many texts in one pass, with the algorithm of Wu and Manber: two bytes at a time are looked up in a table, which
 * says how far the next possible match is. A keeper does not optimize its code, so a loop over every byte would be slow.
 * No text contains a newline.
 */
export class BytePatterns {
  /** The length of the window that moves over the data: the length of the shortest text, or less. */
  readonly #window: number;
  readonly #longest: number;
  /** By two bytes: the distance from them to the end of the nearest window that a text can begin with; 0 at its end. */
  readonly #shifts: Uint8Array;
  /** By the last two bytes of the window, longest first. */
  readonly #candidates = new Map<number, BytePattern[]>();
  readonly #firstBytes = new Uint8Array(256);
  /** By the first two bytes. */
  readonly #byStart = new Map<number, BytePattern[]>();

  constructor(patterns: readonly BytePattern[]) {
    const lengths = patterns.map(({ text }) => text.length);
    const window = Math.min(maxShift, ...lengths);
    this.#window = window;
    this.#longest = Math.max(0, ...lengths);
    this.#shifts = new Uint8Array(65_536).fill(window - 1);
    for (const pattern of patterns.toSorted((one, other) => other.text.length - one.text.length)) {
      const { text } = pattern;
      for (let at = 0; at < window - 1; at++) {
        const pair = text.readUInt16BE(at);
        this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, window - 2 - at);
      }
      addTo(this.#candidates, text.readUInt16BE(window - 2), pattern);
      addTo(this.#byStart, text.readUInt16BE(0), pattern);
      this.#firstBytes[text[0] ?? 0] = 1;
    }
  }

  /** Finds the first match at or after an offset; the longest if several begin there. */
  find(data: Buffer, from: number): PatternMatch | null {
    const shifts = this.#shifts;
    const { length } = data;
    const window = this.#window;
    for (let at = from + window - 1; at < length;) {
      const pair = ((data[at - 1] ?? 0) << 8) | (data[at] ?? 0);
      const shift = shifts[pair] ?? 0;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - window + 1;
      const pattern = this.#candidates.get(pair)?.find(({ text }) => startsWith(data, start, text));
      if (pattern !== undefined) return { start, pattern };
      at += 1;
    }
    return null;
  }

  /** Replaces all matches. Returns the data itself if there are none. */
  replaceAll(data: Buffer): Buffer {
    let output = data;
    for (let match = this.find(data, 0); match !== null;) {
      if (output === data) output = Buffer.from(data);
      output.set(match.pattern.replacement, match.start);
      match = this.find(data, match.start + match.pattern.text.length);
    }
    return output;
  }

  /** Finds where a text may begin that the next bytes complete. Returns the length of the data if there is no such text. */
  findPossibleStart(data: Buffer, from: number): number {
    const { length } = data;
    if (data[length - 1] === newline) return length;
    for (let at = Math.max(from, length - this.#longest + 1, data.lastIndexOf(newline) + 1); at < length; at++) {
      if (this.#firstBytes[data[at] ?? 0] === 1 && this.findByStart(data.subarray(at)) !== undefined) return at;
    }
    return length;
  }

  /** Finds a text that is longer than `start` and begins with it. */
  findByStart(start: Buffer): BytePattern | undefined {
    const { length } = start;
    const isLonger = ({ text }: BytePattern): boolean => text.length > length && startsWith(text, 0, start);
    if (length > 1) return this.#byStart.get(start.readUInt16BE(0))?.find(isLonger);
    for (const patterns of this.#byStart.values()) {
      const found = patterns.find(isLonger);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function startsWith(data: Buffer, at: number, text: Buffer): boolean {
  return at + text.length <= data.length && text.compare(data, at, at + text.length) === 0;
}

function addTo(lists: Map<number, BytePattern[]>, key: number, pattern: BytePattern): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [pattern]);
  else list.push(pattern);
}
