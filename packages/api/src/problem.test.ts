import { errorCodes, FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { errorFromProblem, Problem, problemFromError } from "./problem.ts";

test.each(errorCodes)("converts %s to a problem and back", (code) => {
  const problem = problemFromError(new FairleadError(code, "the reason"));
  expect(Problem.parse(problem)).toMatchObject({ type: `urn:fairlead:problem:${code}`, detail: "the reason" });
  expect(problem.status).toBeGreaterThanOrEqual(400);
  const error = errorFromProblem(JSON.parse(JSON.stringify(problem)), problem.status);
  expect(error).toMatchObject({ code, message: "the reason" });
});

test("omits the message of an unexpected error", () => {
  expect(JSON.stringify(problemFromError(new Error("/home/user/secret")))).not.toContain("secret");
});

test.each([
  [401, "not-allowed"],
  [403, "not-allowed"],
  [404, "invalid-request"],
  [502, "unavailable"],
])("converts status %i without a problem to %s", (status, code) => {
  expect(errorFromProblem("<html>", status)).toMatchObject({ code });
});
