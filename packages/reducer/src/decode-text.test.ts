import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText } from "./decode-text.ts";
import { noRemainder } from "./lines.ts";

function decodeInChunks(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const boundaries = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  let rest = noRemainder;
  return boundaries.slice(1).map((end, index) => {
    const decoded = decodeText(rest, bytes.subarray(boundaries[index], end));
    rest = decoded.rest;
    return decoded.text;
  });
}

test("decodes text in any chunks without splitting a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat()), (text, cuts) => {
      const chunks = decodeInChunks(Buffer.from(text), cuts);
      expect(chunks.join("")).toBe(text);
      expect(chunks.filter((piece) => piece.includes("\uFFFD") && !text.includes("\uFFFD"))).toEqual([]);
    }),
  );
});

test("does not keep invalid bytes for the next chunk", () => {
  expect(decodeText(noRemainder, Buffer.from([0x80, 0x80, 0x80, 0x80])).rest).toEqual(noRemainder);
  expect(decodeText(noRemainder, Buffer.from([0x61, 0xe2, 0x61])).rest).toEqual(noRemainder);
  expect(decodeText(noRemainder, Buffer.from([0xe2, 0x82]))).toEqual({
    text: "",
    rest: { bytes: "\u00E2\u0082", skipped: 0 },
  });
});
