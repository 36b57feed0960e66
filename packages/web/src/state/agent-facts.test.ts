import type { AgentView } from "@fairlead/api";
import { expect, test } from "vitest";
import { describeJudged, markOf, readProblem } from "./agent-facts.ts";

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

test("finds the command that repairs a problem, and does not say it twice", () => {
  expect(readProblem("It is not installed: run `npm install -g it`.")).toEqual({
    text: "It is not installed. Run:",
    command: "npm install -g it",
  });
  expect(readProblem("It may not be signed in: run `it` once, or set A_KEY.")).toEqual({
    text: "It may not be signed in: run it once, or set A_KEY.",
    command: "it",
  });
  expect(readProblem("Install 1.0 or newer.").command).toBeNull();
});

test("lists judged versions, and says if another one is installed", () => {
  const judged = [
    { version: "2.0.0", clauses: 9, kept: 9 },
    { version: "1.9.0", clauses: 9, kept: 8 },
  ];
  const describe = (version: string | null, installed = true): unknown =>
    describeJudged({ judged, probeResult: { installed, version } as AgentView["probeResult"] });
  const text = "2.0.0 (9 of 9 rules), 1.9.0 (8 of 9 rules)";
  expect(describe("1.9.0")).toEqual({ text, isOther: false });
  expect(describe("2.0.1")).toEqual({ text, isOther: true });
  expect(describe(null, false)).toEqual({ text, isOther: false });
  expect(describeJudged({ probeResult: {} as AgentView["probeResult"] })).toBeUndefined();
});
