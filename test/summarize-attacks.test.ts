import { expect, test } from "vitest";
import { summarizeAttacks } from "../claims/attack-closed/summarize-attacks.ts";

test("an attack whose program failed is open now, and proves nothing in the control", () => {
  const summary = summarizeAttacks([
    { id: "closed", now: "closed", before: "succeeded" },
    { id: "open", now: "succeeded", before: "succeeded" },
    { id: "fails-now", now: "failed", before: "succeeded" },
    { id: "failed-before", now: "closed", before: "failed" },
    { id: "closed-before", now: "closed", before: "closed" },
    { id: "no-control", now: "closed" },
  ]);
  expect(summary).toEqual({
    open: ["open", "fails-now"],
    proven: ["closed", "open", "fails-now"],
    unproven: ["failed-before", "closed-before"],
    withoutControl: ["no-control"],
  });
});
