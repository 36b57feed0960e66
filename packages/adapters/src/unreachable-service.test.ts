import { expect, test } from "vitest";
import { categorizeClaudeCodeError } from "./claude-code/failure.ts";

test.each([
  ["Connection refused (ECONNREFUSED)", false, "unreachable"],
  ["Connection refused (ECONNREFUSED)", true, "connection-lost"],
  // Behind a network gate, an unreachable service resets the connection.
  ["Connection dropped (ECONNRESET)", false, "unreachable"],
  ["Connection dropped (ECONNRESET)", true, "connection-lost"],
  ["Connection dropped (ECONNRESET)", undefined, "connection-lost"],
  ["500 Internal server error", false, "provider-failed"],
] as const)("Claude Code's error %j, with an answer started: %j, is %s", (message, answering, category) => {
  expect(categorizeClaudeCodeError(`API Error: ${message}`, null, answering)).toBe(category);
});
