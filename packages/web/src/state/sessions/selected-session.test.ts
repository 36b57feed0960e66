import { expect, test } from "vitest";
import { keepSelected } from "./selected-session.ts";

const rows = [
  { type: "heading", key: "group" },
  { type: "session", key: "a" },
  { type: "session", key: "b" },
] as const;

test.each([
  ["the first session is selected first", null, rows, false, "a"],
  ["a session stays selected when it leaves the list", "x", rows, false, "x"],
  ["a filter that lists the session keeps it", "b", rows, true, "b"],
  ["a filter that does not list it selects the first one", "x", rows, true, "a"],
  ["a filter that matches nothing selects none", "x", [], true, null],
] as const)("%s", (_, selected, list, isFilterNew, expected) => {
  expect(keepSelected(selected, list, isFilterNew)).toBe(expected);
});
