import { sanitizeText } from "@fairlead/api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { SanitizingStream } from "./sanitizing-stream.ts";

function sanitizePieces(pieces: readonly string[]): string {
  const stream = new SanitizingStream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

it("removes a sequence that is split across pieces", () => {
  expect(sanitizePieces(["a\u001b", "[3", "1mred\u001b]0;ti", "tle\u0007b\r", "\nc"])).toBe("aredb\nc");
});

it("returns the same text however it is split", () => {
  const parts = fc.constantFrom(
    "a",
    "é",
    "🎉",
    "\n",
    "\r\n",
    "\r",
    "\u001b[31m",
    "\u001b]0;t\u0007",
    "\u001bPq\u001b\\",
    "\u001b",
    "\u009b",
    "\u009d",
    "\u009c",
    "\u0007",
    "\u2028",
    "\ud83c",
    "[",
    "]",
    "\\",
    " ",
    "1",
  );
  fc.assert(
    fc.property(fc.array(parts), fc.array(fc.nat(40)), (text, cuts) => {
      const whole = text.join("");
      const places = [0, ...cuts.map((at) => Math.min(at, whole.length)).toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end));
      expect(sanitizePieces(pieces)).toBe(sanitizeText(whole));
    }),
    { numRuns: 1000 },
  );
});

it("limits how much of an unterminated sequence it buffers", () => {
  const stream = new SanitizingStream();
  stream.push(`\u001b]${"x".repeat(5000)}`);
  expect(stream.push("seen")).toBe("seen");
});

it.each(["\u009d", "\u009d\n", "\u001b", "\u001b[", "\u001b]x\u001b", "\r", " ", "\u009b1;", "\u001bPq"])(
  "takes time that grows with the length of a text of many %j",
  (part) => {
    const growth = measureGrowthExponent((count) => sanitizePieces([`${part.repeat(count)}\n`, "x"]), 50_000);
    expect(growth).toBeLessThan(1.5);
    const inPieces = measureGrowthExponent(
      (count) => sanitizePieces(Array.from({ length: count }, () => part)),
      20_000,
    );
    expect(inPieces).toBeLessThan(1.5);
  },
);
