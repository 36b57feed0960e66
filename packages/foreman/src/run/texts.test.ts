import type { Plan, ReviewFinding } from "@fairlead/api";
import { Brief } from "@fairlead/contract";
import { expect, test } from "vitest";
import { cutToBytes, describeConflict, describeReview } from "./texts.ts";

test.for([
  ["plain text", "a"],
  ["control characters, which take six bytes as JSON", "\u0000"],
  ["characters of three bytes", "語"],
  ["characters of two code units", "😀"],
])("cuts %s by their bytes, and says so", ([, character]) => {
  const text = character!.repeat(20_000);
  const cut = cutToBytes(text, 9_000);
  const [kept = "", note] = cut.split("\n");
  expect(note).toBe("[the rest is left out]");
  expect(text.startsWith(kept)).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(9_000);
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeGreaterThan(9_000 / 2);
  expect(cutToBytes(character!, 9_000)).toBe(character);
});

const finding: ReviewFinding = { path: "a".repeat(200), what: "\u0001".repeat(5_000), severity: "error" };
const plan = {
  goal: "goal",
  constraints: [],
  acceptance: [],
  tasks: Array.from({ length: 8 }, (_, index) => ({ id: `task-${index}`, brief: "\u0002".repeat(20_000) })),
} as unknown as Plan;

test("the briefs of a review and of a conflict can be sent, however large the work is", () => {
  const patch = "\u0003".repeat(400_000);
  const sides = ["one", "other"].map((name) => ({ name, brief: patch, patch }));
  const briefs = [
    describeReview(plan, { patch, earlier: Array.from({ length: 50 }, () => finding) }),
    describeConflict(plan, { conflicts: ["a"], sides, failure: null }),
  ];
  for (const brief of briefs) {
    expect(Buffer.byteLength(JSON.stringify(brief))).toBeLessThan(256 * 1024);
    expect(Brief.safeParse(brief).error).toBeUndefined();
  }
});
