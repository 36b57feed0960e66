import fc from "fast-check";
import { expect, it } from "vitest";
import { PlainStream } from "./plain-stream.ts";
import { plain } from "./plain.ts";

function inPieces(pieces: readonly string[]): string {
  const stream = new PlainStream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

it("takes out a sequence that is cut in two", () => {
  expect(inPieces(["a\u001b", "[3", "1mred\u001b]0;ti", "tle\u0007b\r", "\nc"])).toBe("aredb\nc");
});

it("gives the same text wherever it is cut", () => {
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
  );
  fc.assert(
    fc.property(fc.array(parts), fc.array(fc.nat(40)), (text, cuts) => {
      const whole = text.join("");
      const places = [0, ...cuts.map((at) => Math.min(at, whole.length)).toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end));
      expect(inPieces(pieces)).toBe(plain(whole));
    }),
    { numRuns: 1000 },
  );
});

it("does not wait for ever for the end of a sequence", () => {
  const stream = new PlainStream();
  stream.push(`\u001b]${"x".repeat(5000)}`);
  expect(stream.push("seen")).toBe("seen");
});
