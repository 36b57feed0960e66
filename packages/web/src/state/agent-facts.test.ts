import { expect, test } from "vitest";
import { markOf, readProblem } from "./agent-facts.ts";

test.each([
  ["Made-up Code", "Mu"],
  ["Scripted agent", "Sa"],
  ["shell", "Sh"],
  ["x", "X"],
  ["", "?"],
  ["Äther (β)", "Äβ"],
])("marks %j with %s", (label, expected) => {
  expect(markOf(label)).toBe(expected);
});

test("finds the command that repairs a problem", () => {
  expect(readProblem("It is not installed: run `npm install -g it`.")).toEqual({
    text: "It is not installed: run npm install -g it.",
    command: "npm install -g it",
  });
  expect(readProblem("Install 1.0 or newer.").command).toBeNull();
});
