import { expect, test } from "vitest";
import { isInside } from "./is-inside.ts";

test.each([
  ["/a", "/a", true],
  ["/a", "/a/", true],
  ["/a/b", "/a", true],
  ["/a/b", "/a/", true],
  ["/a", "/", true],
  ["/", "/", true],
  ["/ab", "/a", false],
  ["/a", "/a/b", false],
  ["/", "/a", false],
])("%s in %s: %s", (path, folder, expected) => {
  expect(isInside(path, folder)).toBe(expected);
});
