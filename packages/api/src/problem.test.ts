import { errorCodes, FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { errorOf, Problem, problemOf } from "./problem.ts";

test.each(errorCodes)("%s is told and understood", (code) => {
  const told = problemOf(new FairleadError(code, "because"));
  expect(Problem.parse(told)).toMatchObject({ type: `urn:fairlead:problem:${code}`, detail: "because" });
  expect(told.status).toBeGreaterThanOrEqual(400);
  expect(errorOf(JSON.parse(JSON.stringify(told)), told.status)).toMatchObject({ code, message: "because" });
});

test("of an error that is not ours nothing is told", () => {
  expect(JSON.stringify(problemOf(new Error("/home/somebody/secret")))).not.toContain("secret");
});

test.each([
  [401, "not-allowed"],
  [403, "not-allowed"],
  [404, "invalid-request"],
  [502, "unavailable"],
])("a status of %i without a word is %s", (status, code) => {
  expect(errorOf("<html>", status)).toMatchObject({ code });
});
