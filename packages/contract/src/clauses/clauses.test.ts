import { describe, expect, test } from "vitest";
import { capabilities, Capability } from "../capability.ts";
import type { Clause } from "./clause.ts";
import { clauses } from "./clauses.ts";
import { PermissionMode, permissionModes } from "../permission-mode.ts";

/** One or more sentences: starts with a capital letter or an event type and ends with a full stop. */
const sentence = /^([A-Z]|[a-z]+\.[a-z]+ ).*[^.]\.$/;

describe.each<[string, Clause]>(Object.entries(clauses))("%s", (id, clause) => {
  test("has an id of two words", () => expect(id).toMatch(/^[a-z]+:[a-z]+(-[a-z]+)*$/));
  test("states a sentence", () => expect(clause.statement).toMatch(sentence));
  test("has a known level", () => expect(["must", "should"]).toContain(clause.level));
  test.each(["needs", "lacks"] as const)("%s known capabilities, each once, or is missing", (field) => {
    const { [field]: listed } = clause;
    if (listed === undefined) return;
    expect(listed).not.toEqual([]);
    expect(listed).toEqual([...new Set(listed)]);
    for (const capability of listed) expect(Capability.safeParse(capability).success).toBe(true);
  });
});

test("no two clauses have the same statement", () => {
  const statements = Object.values(clauses).map((clause) => clause.statement);
  expect(new Set<string>(statements).size).toBe(statements.length);
});

test("every capability has a sentence and at least one clause", () => {
  const judged = new Set(Object.values<Clause>(clauses).flatMap((clause) => clause.needs ?? []));
  expect(Object.values(capabilities).filter((text) => !sentence.test(text))).toEqual([]);
  expect(Capability.options.filter((capability) => !judged.has(capability))).toEqual([]);
});

test("every permission mode has a sentence", () => {
  expect(Object.keys(permissionModes).toSorted()).toEqual(PermissionMode.options.toSorted());
  expect(Object.values(permissionModes).filter((text) => !sentence.test(text))).toEqual([]);
});
