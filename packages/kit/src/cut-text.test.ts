import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText } from "./cut-text.ts";
import { noRemainder } from "./lines.ts";

function pieces(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  let rest = noRemainder;
  return places.slice(1).map((end, at) => {
    const cut = cutText(rest, bytes.subarray(places[at], end));
    rest = cut.rest;
    return cut.text;
  });
}

test("however text is cut, its pieces are the text, and each is whole", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat()), (text, cuts) => {
      const cut = pieces(Buffer.from(text), cuts);
      expect(cut.join("")).toBe(text);
      expect(cut.filter((piece) => piece.includes("\uFFFD") && !text.includes("\uFFFD"))).toEqual([]);
    }),
  );
});

test("what is no text is not waited for", () => {
  expect(cutText(noRemainder, Buffer.from([0x80, 0x80, 0x80, 0x80])).rest).toEqual(noRemainder);
  expect(cutText(noRemainder, Buffer.from([0x61, 0xe2, 0x61])).rest).toEqual(noRemainder);
  expect(cutText(noRemainder, Buffer.from([0xe2, 0x82]))).toEqual({
    text: "",
    rest: { bytes: "\u00E2\u0082", skipped: 0 },
  });
});
