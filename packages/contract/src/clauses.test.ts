import { describe, expect, test } from "vitest";
import { capabilities, Capability } from "./capability.ts";
import { clauses, type Clause } from "./clauses.ts";
import { PermissionMode, permissionModes } from "./permission-mode.ts";

/** One sentence or more: from a capital letter, or the name of an event, to a full stop. */
const sentence = /^([A-Z]|[a-z]+\.[a-z]+ ).*[^.]\.$/;

describe.each<[string, Clause]>(Object.entries(clauses))("%s", (id, clause) => {
  test("has an id of a noun and a word", () => expect(id).toMatch(/^[a-z]+:[a-z]+$/));
  test("is a sentence", () => expect(clause.says).toMatch(sentence));
  test("is judged or reported", () => expect(["must", "should"]).toContain(clause.level));
  test("needs capabilities only, each once, or nothing", () => {
    if (clause.needs === undefined) return;
    expect(clause.needs).not.toEqual([]);
    expect(clause.needs).toEqual([...new Set(clause.needs)]);
    for (const need of clause.needs) expect(Capability.safeParse(need).success).toBe(true);
  });
});

test("no two clauses say the same", () => {
  const says = Object.values(clauses).map((clause) => clause.says);
  expect(new Set<string>(says).size).toBe(says.length);
});

test("every capability is a sentence, and some clause judges it", () => {
  const judged = new Set(Object.values<Clause>(clauses).flatMap((clause) => clause.needs ?? []));
  expect(Object.values(capabilities).filter((says) => !sentence.test(says))).toEqual([]);
  expect(Capability.options.filter((capability) => !judged.has(capability))).toEqual([]);
});

test("every permission mode has a sentence, and every sentence a mode", () => {
  expect(Object.keys(permissionModes).toSorted()).toEqual(PermissionMode.options.toSorted());
  expect(Object.values(permissionModes).filter((says) => !sentence.test(says))).toEqual([]);
});
