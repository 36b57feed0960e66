import fc from "fast-check";
import { expect, test } from "vitest";
import type { HistoryMessage } from "./history-message.ts";
import { trimHistory } from "./trim-history.ts";

const text = fc.string({ maxLength: 40 });
const user: fc.Arbitrary<HistoryMessage[]> = text.map((content) => [{ role: "user", content }]);
const answer: fc.Arbitrary<HistoryMessage[]> = text.map((content) => [{ role: "assistant", content }]);
const toolCalls: fc.Arbitrary<HistoryMessage[]> = fc
  .array(fc.tuple(fc.uuid(), text), { minLength: 1, maxLength: 4 })
  .map((callPairs) => [
    {
      role: "assistant",
      content: null,
      tool_calls: callPairs.map(([id]) => ({ id, type: "function", function: { name: "read_file", arguments: "{}" } })),
    },
    ...callPairs.map(([id, content]): HistoryMessage => ({ role: "tool", tool_call_id: id, content })),
  ]);

/** Any history that the agent saves: it starts with a user message, and every call has its results. */
const history = fc
  .tuple(user, fc.array(fc.oneof(user, answer, toolCalls), { maxLength: 30 }))
  .map(([first, others]) => [first, ...others].flat());

function measureLength(messages: readonly HistoryMessage[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}

test("keeps each call with its results, the newest message and the last user message", () => {
  fc.assert(
    fc.property(history, fc.nat(4000), (messages, limit) => {
      const trimmed = trimHistory(messages, limit);
      const calls = trimmed.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
      const resultIds = trimmed.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
      expect(resultIds).toEqual(calls.map(({ id }) => id));

      expect(trimmed[0]?.role).toBe("user");
      expect(trimmed.at(-1)).toBe(messages.at(-1));
      expect(trimmed).toContain(messages.findLast(({ role }) => role === "user"));
      // The messages keep their order, and none is new.
      const positions = trimmed.map((message) => messages.indexOf(message));
      expect(positions).toEqual(positions.toSorted((left, right) => left - right));
      expect(positions).not.toContain(-1);
    }),
  );
});

test("does not change a history that fits", () => {
  fc.assert(
    fc.property(history, (messages) => {
      expect(trimHistory(messages, 2 * measureLength(messages))).toEqual(messages);
    }),
  );
});

test("stays within the limit, unless the required messages alone exceed it", () => {
  fc.assert(
    fc.property(history, fc.nat(4000), (messages, limit) => {
      const newest = messages.slice(messages.findLastIndex(({ role }) => role !== "tool"));
      const lastUserMessage = messages.findLast(({ role }) => role === "user") as HistoryMessage;
      const requiredLength = measureLength(newest) + measureLength([lastUserMessage]);
      expect(measureLength(trimHistory(messages, limit))).toBeLessThanOrEqual(Math.max(limit, requiredLength));
    }),
  );
});
