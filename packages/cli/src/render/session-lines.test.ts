import type { EventOf } from "@fairlead/contract";
import { expect, test } from "vitest";
import { endedLine } from "./session-lines.ts";

const ended = (
  reason: EventOf<"session.ended">["reason"],
  exit: EventOf<"session.ended">["exit"],
): EventOf<"session.ended"> => ({ type: "session.ended", reason, exit });

test.each([
  [ended("crashed", { code: null, signal: "SIGKILL" }), "The agent crashed (SIGKILL)."],
  [ended("failed", { code: 1, signal: null }), "The session failed (exit code 1)."],
  // A process that did not start has no exit code.
  [ended("failed", { code: null, signal: null }), "The session failed."],
  [ended("stopped", { code: 0, signal: null }), "The session was stopped."],
])("an end is a sentence, with the exit if there is one: %j", (event, line) => {
  expect(endedLine(event)).toBe(line);
});
