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
  expect(formatError(error).exitCode).toBe(exitCode);
});

it("prints the message and what to type next, without a stack", () => {
  expect(formatError(new FairleadError("not-installed", "The agent is not installed.")).text).toBe(
    "fairlead: The agent is not installed.\nTry: fairlead doctor\n",
  );
});

it("omits the suggestion if the message already contains a command", () => {
  const error = new FairleadError("session-not-found", "There is no session. List them with: fairlead ls");
  expect(formatError(error).text).not.toContain("Try");
});

it("does not suggest the command that was typed, or another one than to try again", () => {
  const error = new FairleadError("unavailable", "The service is away.");
  expect(formatError(error, { command: "status" })).toMatchObject({
    text: "fairlead: The service is away.\n",
    json: { error: expect.not.objectContaining({ suggestion: expect.anything() }) },
  });
  expect(formatError(error, { command: "ls" }).text).toContain("Try: fairlead status\n");
  const temporary = new FairleadError("unavailable", "The service is away. Try again in a moment.");
  expect(formatError(temporary, { command: "ls" }).text).toBe(
    "fairlead: The service is away. Try again in a moment.\n",
  );
});

it("prints the stack in debug mode", () => {
  expect(formatError(new Error("Failed."), { debug: true }).text).toContain("format-error.test.ts");
});

it("removes escape sequences", () => {
  expect(formatError(new Error("a\u001b[2Jb")).text).toBe("fairlead: ab\n");
});

it("suggests no command about sessions for a command that runs a part of a fleet", () => {
  const error = new FairleadError("unavailable", "The servers cannot be reached.");
  expect(formatError(error, { command: "send" }).text).toContain("Try: fairlead status");
  for (const command of ["fleet", "host", "gateway"])
    expect(formatError(error, { command }).text).toBe("fairlead: The servers cannot be reached.\n");
});

it("puts the session that was typed into the commands that it suggests", () => {
  const error = new FairleadError("session-ended", "It has ended. Continue it with: fairlead resume SESSION");
  expect(formatError(error, { session: "54tq" }).text).toContain("fairlead resume 54tq");
  expect(formatError(new FairleadError("taken-over", "No."), { session: "54tq" }).text).toContain("attach 54tq");
  // A typed word that a shell would read as something else is not repeated.
  expect(formatError(error, { session: "$(touch it)" }).text).toContain("fairlead resume SESSION");
});

it("suggests to resume a session that has ended, and what an agent without its own history allows", () => {
  const ended = new FairleadError("session-ended", "It has ended. Continue it with: fairlead resume SESSION");
  expect(formatError(ended, { session: "54tq" }).json.error["suggestion"]).toBe('fairlead resume 54tq "…"');
  const refused = (outcomes: string): FairleadError =>
    new FairleadError("not-supported", `It stores no conversation. Accept the outcome ${outcomes}.`);
  const options = { session: "54tq", command: "fork" };
  expect(formatError(refused('"fresh"'), options).text).toContain("Try: fairlead fork 54tq --fresh\n");
  expect(formatError(refused('"rebuilt" or "fresh"'), { session: "54tq", command: "send" }).text).toContain(
    'Try: fairlead resume 54tq --rebuild "…"\n',
  );
});

it("has a code, a message, a suggestion and the exit code as JSON", () => {
  expect(formatError(new FairleadError("not-installed", "The agent is not installed.")).json).toEqual({
    error: {
      code: "not-installed",
      message: "The agent is not installed.",
      suggestion: "fairlead doctor",
      exitCode: 1,
    },
  });
  const taken = new FairleadError("conflict", "The name is taken.");
  expect(formatError(new UsageError("The name is taken.", null, { cause: taken })).json).toMatchObject({
    error: { code: "conflict", exitCode: 2 },
  });
  expect(formatError(new UsageError("Wrong.")).json).toMatchObject({ error: { code: "usage", exitCode: 2 } });
  expect(formatError(new Error("Failed.")).json).toMatchObject({ error: { code: "internal", exitCode: 1 } });
});
