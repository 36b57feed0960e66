import type { Remainder } from "./lines.ts";

/** The text of some bytes of a terminal; a character that is not there as a whole waits for the rest of it. */
export function cutText(before: Remainder, chunk: Uint8Array): { text: string; rest: Remainder } {
  const bytes = Buffer.concat([Buffer.from(before.bytes, "latin1"), chunk]);
  const end = wholeUntil(bytes);
  return { text: bytes.toString("utf8", 0, end), rest: { bytes: bytes.toString("latin1", end), skipped: 0 } };
}

/** Where the last character begins, if it is not whole; otherwise where the bytes end. */
function wholeUntil(bytes: Uint8Array): number {
  for (const back of [1, 2, 3]) {
    const byte = bytes.at(-back);
    if (byte === undefined) break;
    if (byte >= 0x80 && byte < 0xc0) continue; // not the first byte of its character
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
