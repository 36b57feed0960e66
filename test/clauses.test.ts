import { clauses, type ClauseId } from "@fairlead/contract";
import { replayChecks, scenarios } from "@fairlead/conformance";
import { expect, test } from "vitest";

/** Clauses that no scenario of the fixed list verifies, and what verifies them. */
const verifiedElsewhere: Readonly<Partial<Record<ClauseId, string>>> = {
  "error:category": "the failure cases of each test bench",
  "error:deadline": "the failure cases of each test bench",
  "capability:honest": "the judge, over all scenarios",
};

test("every clause is verified by a scenario, a replay check or the judge", () => {
  const verified = new Set([
    ...scenarios.flatMap(({ clauses }) => clauses),
    ...Object.keys(replayChecks),
    ...Object.keys(verifiedElsewhere),
  ]);
  expect(Object.keys(clauses).filter((clause) => !verified.has(clause))).toEqual([]);
});

test("every scenario verifies a clause and has a unique name", () => {
  expect(scenarios.filter(({ clauses }) => clauses.length === 0)).toEqual([]);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});
