import type { Remainder } from "./lines.ts";

/** Decodes UTF-8 from a terminal in chunks. Keeps the bytes of an incomplete character for the next chunk. */
export function decodeText(remainder: Remainder, chunk: Uint8Array): { text: string; rest: Remainder } {
  const bytes = Buffer.concat([Buffer.from(remainder.bytes, "latin1"), chunk]);
  const completeEnd = findCompleteEnd(bytes);
  return {
    text: bytes.toString("utf8", 0, completeEnd),
    rest: { bytes: bytes.toString("latin1", completeEnd), skipped: 0 },
  };
}

/** Returns the start of an incomplete last character, or the end of the bytes. */
function findCompleteEnd(bytes: Uint8Array): number {
  for (const back of [1, 2, 3]) {
    const byte = bytes.at(-back);
    if (byte === undefined) break;
    if (byte >= 0x80 && byte < 0xc0) continue; // a continuation byte
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Decodes whole UTF-8 text without a copy of the bytes. */
export function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
