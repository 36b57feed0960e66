import { expect, test } from "vitest";
import { planArrival, type ArrivalFacts } from "./plan-arrival.ts";

const facts: ArrivalFacts = {
  moving: "native",
  memoryProblem: null,
  hostProblem: null,
  isOwnerAlive: false,
  hasEndedTurn: true,
};
const problem = "The memory was not stored before.";

test("a session continues with its memory, and without it only if its start allowed that or nothing is forgotten", () => {
  expect(planArrival(facts)).toEqual({ outcome: "native" });
  const rebuilt = { outcome: "rebuilt", reason: problem };
  expect(planArrival({ ...facts, memoryProblem: problem, moving: "rebuilt" })).toEqual(rebuilt);
  expect(planArrival({ ...facts, memoryProblem: problem, hasEndedTurn: false })).toEqual(rebuilt);
  expect(planArrival({ ...facts, memoryProblem: problem }).outcome).toBe("lost");
  expect(planArrival({ ...facts, hostProblem: problem, moving: "rebuilt" }).outcome).toBe("lost");
  expect(planArrival({ ...facts, moving: "never" }).outcome).toBe("lost");
});

test("says that the host was lost only if it was", () => {
  for (const one of [{ moving: "never" } as const, { hostProblem: problem }, { memoryProblem: problem }]) {
    expect(planArrival({ ...facts, ...one }).reason).toMatch(/^The session's host was lost\. /);
    expect(planArrival({ ...facts, ...one, isOwnerAlive: true }).reason).not.toMatch(/was lost/);
  }
});
