import { isUtf8 } from "node:buffer";

/** Bytes after the last line end, stored as latin-1 so that the state is plain JSON. */
export interface Remainder {
  readonly bytes: string;
  /** Number of discarded bytes of an overlong line; 0 if no line is being discarded. */
  readonly skipped: number;
}

/** A line of output, which may be empty, or the reason why it cannot be read. */
export type OutputLine =
  | { readonly text: string; /** Set if the output ended without a line end. */ readonly unterminated?: true }
  | { readonly unreadable: string; readonly raw: string };

export const noRemainder: Remainder = { bytes: "", skipped: 0 };

/** Limit of a line, so that an agent that never ends its line cannot fill the memory. */
const maxLineBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/** Splits a byte stream into lines. Handles missing line ends, incomplete characters and lines of any length. */
export function splitLines(remainder: Remainder, chunk: Uint8Array): { lines: OutputLine[]; rest: Remainder } {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const lines: OutputLine[] = [];
  let rest = remainder;
  let start = 0;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    lines.push(finishLine(rest, bytes.subarray(start, end)));
    rest = noRemainder;
    start = end + 1;
  }
  return { lines, rest: start < bytes.length ? extendRemainder(rest, bytes.subarray(start)) : rest };
}

/** Returns the last line of a stream that ended without a line end. */
export function flushLine(remainder: Remainder): OutputLine[] {
  if (remainder.bytes === "" && remainder.skipped === 0) return [];
  const line = finishLine(remainder, Buffer.alloc(0));
  return ["text" in line ? { ...line, unterminated: true } : line];
}

/** Appends bytes. JavaScript joins strings without copying, so a line in many chunks costs no more than in one. */
function extendRemainder(remainder: Remainder, more: Buffer): Remainder {
  const size = remainder.bytes.length + more.length;
  if (remainder.skipped > 0 || size > maxLineBytes) return { bytes: "", skipped: remainder.skipped + size };
  return { bytes: remainder.bytes + more.toString("latin1"), skipped: 0 };
}

function finishLine(remainder: Remainder, last: Buffer): OutputLine {
  const size = remainder.skipped + remainder.bytes.length + last.length;
  if (remainder.skipped > 0 || size > maxLineBytes)
    return { unreadable: `a line of ${size} bytes is too long`, raw: "" };
  const bytes = remainder.bytes === "" ? last : Buffer.concat([Buffer.from(remainder.bytes, "latin1"), last]);
  const line = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes;
  if (!isUtf8(line)) return { unreadable: "a line is not UTF-8", raw: line.toString("latin1").slice(0, 1000) };
  return { text: line.toString("utf8") };
}
