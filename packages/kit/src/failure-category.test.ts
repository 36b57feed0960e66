import { expect, test } from "vitest";
import { failureCategory, patternHead } from "./failure-category.ts";

test.each([
  [400, "bad-request"],
  [401, "not-authenticated"],
  [402, "bad-request"],
  [403, "not-authenticated"],
  [404, "bad-request"],
  [429, "rate-limited"],
  [499, "bad-request"],
  [500, "provider-failed"],
  [529, "provider-failed"],
])("status %i means %s, whatever the message", (status, category) => {
  expect(failureCategory(status, "quota ECONNRESET")).toBe(category);
});

test.each([
  ["connect ECONNREFUSED 127.0.0.1:1", "unreachable"],
  ["getaddrinfo ENOTFOUND api.example", "unreachable"],
  ["EHOSTUNREACH", "unreachable"],
  ["ENETUNREACH", "unreachable"],
  ["getaddrinfo EAI_AGAIN", "unreachable"],
  ["Connection refused", "unreachable"],
  ["Connection error.", "unreachable"],
  ["Unable to connect to API (ConnectionRefused)", "unreachable"],
  ["Unable to connect to API (ECONNRESET)", "connection-lost"],
  ["UND_ERR_SOCKET", "connection-lost"],
  ["read ECONNRESET", "connection-lost"],
  ["write EPIPE", "connection-lost"],
  ["socket hang up", "connection-lost"],
  ["The connection was dropped", "connection-lost"],
  ["connection closed by peer", "connection-lost"],
  ["Connection lost", "connection-lost"],
  ["connection reset", "connection-lost"],
  ["TypeError: terminated", "connection-lost"],
  ["You are not logged in", "not-authenticated"],
  ["Please run /login", "not-authenticated"],
  ["Log in first", "not-authenticated"],
  ["Invalid API key", "not-authenticated"],
  ["Unauthorized", "not-authenticated"],
  ["unauthorised", "not-authenticated"],
  ["Failed to authenticate", "not-authenticated"],
  ["rate limit", "rate-limited"],
  ["rate_limit_error", "rate-limited"],
  ["ratelimited", "rate-limited"],
  ["quota is used up", "rate-limited"],
  ["Too Many Requests", "rate-limited"],
  ["time out", "timed-out"],
  ["Request timed out.", "timed-out"],
  ["timeout of 30 s", "timed-out"],
  ["connect ETIMEDOUT", "timed-out"],
  ["Connection failed: error sending request", "unreachable"],
  ["waiting for network", "unreachable"],
  ["stream disconnected before completion", "connection-lost"],
  ["stream disconnected before completion: error sending request", "unreachable"],
  ["LLM request failed: network connection was interrupted.", "unreachable"],
  ["The model could not be reached: fetch failed read ECONNRESET (ECONNRESET)", "unreachable"],
  ["Missing environment variable: KEY", "not-authenticated"],
  ["usageLimitExceeded", "rate-limited"],
  ["Internal Server Error", "provider-failed"],
  ["serverOverloaded", "provider-failed"],
  ["policyCapacity", "provider-failed"],
  ["We are experiencing high demand", "provider-failed"],
  ["badRequest", "bad-request"],
  ["invalid_request_error", "bad-request"],
  ["something else", "unknown"],
  ["", "unknown"],
])("without a status, %j means %s", (message, category) => {
  for (const status of [null, undefined, 0, 200, 399]) expect(failureCategory(status, message)).toBe(category);
});

test("patterns are tried on the beginning of a text only", () => {
  expect(patternHead("a".repeat(10_000))).toHaveLength(4096);
  expect(failureCategory(null, `${"a".repeat(100)} rate limit`)).toBe("rate-limited");
  expect(failureCategory(null, `${"a".repeat(5000)} rate limit`)).toBe("unknown");
});
