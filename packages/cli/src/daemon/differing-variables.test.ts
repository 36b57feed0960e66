import { expect, it } from "vitest";
import { differingVariables } from "./differing-variables.ts";
import { variableDigests } from "./variable-digests.ts";

const startedAt = "2026-01-01T00:00:00.000Z";
const account = { pid: 1, version: "1", api: "fairlead/1", startedAt, listen: null, url: null };
const there = { SOME_KEY: "one", SOME_SAME: "same", SOME_GONE: "gone", OTHER: "x", PATH: "/bin" };
const here = { SOME_KEY: "two", SOME_SAME: "same", SOME_NEW: "new", OTHER: "y", PATH: "/usr/bin" };

it("names what an agent would be given and is not the same, and nothing else", () => {
  const variables = variableDigests(there, startedAt);
  expect(differingVariables(["SOME_*"], here, { ...account, variables })).toEqual([
    "SOME_GONE",
    "SOME_KEY",
    "SOME_NEW",
  ]);
  expect(differingVariables(["SOME_KEY"], there, { ...account, variables })).toEqual([]);
  expect(JSON.stringify(variables)).not.toContain("gone");
});
