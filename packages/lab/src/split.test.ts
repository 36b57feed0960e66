import { expect, test } from "vitest";
import { split } from "./split.ts";

test("pieces make up the text", () => {
  expect(split("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
  expect(split("ab", 5)).toEqual(["a", "b"]);
  expect(split("", 3)).toEqual([]);
});

test("no piece ends inside a character", () => {
  expect(split("a🙂b", 2)).toEqual(["a🙂", "b"]);
});
