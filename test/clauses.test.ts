import { clauses, type ClauseId } from "@fairlead/contract";
import { recitalChecks, scenarios } from "@fairlead/conformance";
import { expect, test } from "vitest";

/** Clauses that are not cited by a scenario of the fixed list. */
const elsewhere: Readonly<Partial<Record<ClauseId, string>>> = {
  "error:category": "the failures that each stage can make happen",
  "error:deadline": "the failures that each stage can make happen",
  "capability:honest": "the judge, over all scenarios",
};

test("every clause is cited", () => {
  const cited = new Set([
    ...scenarios.flatMap(({ cites }) => cites),
    ...Object.keys(recitalChecks),
    ...Object.keys(elsewhere),
  ]);
  expect(Object.keys(clauses).filter((clause) => !cited.has(clause))).toEqual([]);
});

test("every scenario cites something, and has a name of its own", () => {
  expect(scenarios.filter(({ cites }) => cites.length === 0)).toEqual([]);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});
