import { expect, it } from "vitest";
import { digestVariables, findDifferingVariables } from "./find-differing-variables.ts";

const startedAt = "2026-01-01T00:00:00.000Z";
const info = { pid: 1, version: "1", api: "fairlead/1", startedAt, listen: null, url: null };
const daemonEnvironment = { SOME_KEY: "one", SOME_SAME: "same", SOME_GONE: "gone", OTHER: "x", PATH: "/bin" };
const localEnvironment = { SOME_KEY: "two", SOME_SAME: "same", SOME_NEW: "new", OTHER: "y", PATH: "/usr/bin" };

it("finds only variables that the agent receives by name and whose values differ", () => {
  const variables = digestVariables(daemonEnvironment, startedAt);
  expect(findDifferingVariables(["SOME_*"], localEnvironment, { ...info, variables })).toEqual([
    "SOME_GONE",
    "SOME_KEY",
    "SOME_NEW",
  ]);
  expect(findDifferingVariables(["SOME_KEY"], daemonEnvironment, { ...info, variables })).toEqual([]);
  expect(JSON.stringify(variables)).not.toContain("gone");
});
