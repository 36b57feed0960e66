import { expect, test } from "vitest";
import { makeId, splitText } from "./response-parts.ts";

test("creates identifiers without digits, so that none contains an HTTP status", () => {
  for (let round = 0; round < 200; round += 1) expect(makeId("req_")).toMatch(/^req_[a-p]{24}$/);
});

test("splits a text into pieces that join to the text", () => {
  expect(splitText("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
  expect(splitText("ab", 5)).toEqual(["a", "b"]);
  expect(splitText("", 3)).toEqual([]);
});

test("does not split a character", () => {
  expect(splitText("a🙂b", 2)).toEqual(["a🙂", "b"]);
});
