import { expect, test } from "vitest";
import { findOffsets } from "./find-offsets.ts";

test.each([
  ["A needle, a Needle", "NEEDLE", [2, 12]],
  ["aaaa", "aa", [0, 2]],
  ["nothing", "needle", []],
  ["text", "", []],
  // Two code units in lower case.
  ["\u0130 needle", "needle", []],
])("in %j, %j is at %j", (text, wanted, offsets) => {
  expect(findOffsets(text, wanted, 10)).toEqual(offsets);
});

test("no more places are returned than wanted", () => {
  expect(findOffsets("aaaa", "a", 3)).toEqual([0, 1, 2]);
});
