import { isUtf8 } from "node:buffer";

/** Bytes after the last line end, kept as latin-1 so that the state stays plain JSON. */
export interface Remainder {
  readonly bytes: string;
  /** How much of an overlong line has been passed over; 0 when none is being passed over. */
  readonly skipped: number;
}

export type Line = { readonly text: string } | { readonly unreadable: string; readonly raw: string };

export const noRemainder: Remainder = { bytes: "", skipped: 0 };

/** An agent that never ends its line must not fill our memory. */
const longest = 4 * 1024 * 1024;
const newline = 0x0a;

/** Cuts a stream of bytes into lines, whatever the agent does: no line end, half a character, gigabytes. */
export function cutLines(before: Remainder, chunk: Uint8Array): { lines: Line[]; rest: Remainder } {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const lines: Line[] = [];
  let rest = before;
  let start = 0;
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    lines.push(...finish(rest, bytes.subarray(start, end)));
    rest = noRemainder;
    start = end + 1;
  }
  return { lines, rest: start < bytes.length ? grow(rest, bytes.subarray(start)) : rest };
}

/** What is left when the stream has ended: a last line without a line end. */
export function lastLine(rest: Remainder): Line[] {
  return finish(rest, Buffer.alloc(0));
}

/** Strings are joined without being copied, so a line that comes in many pieces costs no more than one that does not. */
function grow(rest: Remainder, more: Buffer): Remainder {
  const size = rest.bytes.length + more.length;
  if (rest.skipped > 0 || size > longest) return { bytes: "", skipped: rest.skipped + size };
  return { bytes: rest.bytes + more.toString("latin1"), skipped: 0 };
}

function finish(rest: Remainder, last: Buffer): Line[] {
  const size = rest.skipped + rest.bytes.length + last.length;
  if (rest.skipped > 0 || size > longest) return [{ unreadable: `a line of ${size} bytes is too long`, raw: "" }];
  const bytes = rest.bytes === "" ? last : Buffer.concat([Buffer.from(rest.bytes, "latin1"), last]);
  const line = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes;
  if (line.length === 0) return [];
  if (!isUtf8(line)) return [{ unreadable: "a line is not UTF-8", raw: line.toString("latin1").slice(0, 1000) }];
  return [{ text: line.toString("utf8") }];
}
