import { FairleadError } from "@fairlead/contract";
import { expect, it } from "vitest";
import { formatError } from "./format-error.ts";
import { UsageError } from "./usage-error.ts";

it.each([
  [new FairleadError("invalid-settings", "The settings are invalid."), 2],
  [new FairleadError("unknown-agent", "The agent is unknown."), 2],
  [new UsageError("The command is wrong."), 2],
  [new FairleadError("not-installed", "The agent is not installed."), 1],
  [new Error("Failed."), 1],
])("%s exits with %d", (error, exitCode) => {
  expect(formatError(error, false).exitCode).toBe(exitCode);
});

it("prints the message and what to type next, without a stack", () => {
  expect(formatError(new FairleadError("not-installed", "The agent is not installed."), false).text).toBe(
    "fairlead: The agent is not installed.\nTry: fairlead doctor\n",
  );
});

it("omits the suggestion if the message already contains a command", () => {
  const error = new FairleadError("session-not-found", "There is no session. List them with: fairlead ls");
  expect(formatError(error, false).text).not.toContain("Try");
});

it("prints the stack in debug mode", () => {
  expect(formatError(new Error("Failed."), true).text).toContain("format-error.test.ts");
});

it("removes escape sequences", () => {
  expect(formatError(new Error("a\u001b[2Jb"), false).text).toBe("fairlead: ab\n");
});
