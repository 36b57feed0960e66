import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, splitIntoParts } from "./event-size.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });

test("the pieces of a text, joined, are the text; none is too long, and only the last may be short", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 10 }), (text, limit) => {
      const pieces = splitIntoParts(text, limit);
      expect(pieces.join("")).toBe(text);
      expect(pieces.every((piece) => piece.length <= limit)).toBe(true);
      expect(pieces.slice(0, -1).every((piece) => piece.length >= limit - 1)).toBe(true);
    }),
  );
});

test("no surrogate pair is split", () => {
  expect(splitIntoParts("a😀😀", 2)).toEqual(["a", "😀", "😀"]);
  expect(cutText("a😀b", 2)).toBe("a\n[3 more characters are not shown]");
});

test("a text that is cut says how much is missing, and a short one is unchanged", () => {
  expect(cutText("abcdef", 4)).toBe("abcd\n[2 more characters are not shown]");
  expect(cutText("abcd", 4)).toBe("abcd");
  expect(splitIntoParts("")).toEqual([""]);
});
