import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../packages/adapters/programs/openai-agent/history.ts";
import { trimHistory } from "../../packages/adapters/programs/openai-agent/trim-history.ts";

const text = fc.string({ maxLength: 40 });
const user: fc.Arbitrary<Message[]> = text.map((content) => [{ role: "user", content }]);
const answer: fc.Arbitrary<Message[]> = text.map((content) => [{ role: "assistant", content }]);
const calls: fc.Arbitrary<Message[]> = fc
  .array(fc.tuple(fc.uuid(), text), { minLength: 1, maxLength: 4 })
  .map((made) => [
    {
      role: "assistant",
      content: null,
      tool_calls: made.map(([id]) => ({ id, type: "function", function: { name: "read_file", arguments: "{}" } })),
    },
    ...made.map(([id, content]): Message => ({ role: "tool", tool_call_id: id, content })),
  ]);

/** What can stand in a file of ours: it begins with the user, and every call has its results. */
const history = fc
  .tuple(user, fc.array(fc.oneof(user, answer, calls), { maxLength: 30 }))
  .map(([first, others]) => [first, ...others].flat());

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}

test("a call is never parted from its results, and the newest messages and the task are there", () => {
  fc.assert(
    fc.property(history, fc.nat(4000), (messages, limit) => {
      const kept = trimHistory(messages, limit);
      const called = kept.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
      const returned = kept.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
      expect(returned).toEqual(called.map(({ id }) => id));

      expect(kept[0]?.role).toBe("user");
      expect(kept.at(-1)).toBe(messages.at(-1));
      expect(kept).toContain(messages.findLast(({ role }) => role === "user"));
      // In order, and nothing that was not there.
      const places = kept.map((message) => messages.indexOf(message));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
    }),
  );
});

test("a history that fits is left alone", () => {
  fc.assert(
    fc.property(history, (messages) => {
      expect(trimHistory(messages, 2 * lengthOf(messages))).toEqual(messages);
    }),
  );
});

test("what is kept fits, unless what must be kept is too long already", () => {
  fc.assert(
    fc.property(history, fc.nat(4000), (messages, limit) => {
      const newest = messages.slice(messages.findLastIndex(({ role }) => role !== "tool"));
      const task = messages.findLast(({ role }) => role === "user") as Message;
      const least = lengthOf(newest) + lengthOf([task]);
      expect(lengthOf(trimHistory(messages, limit))).toBeLessThanOrEqual(Math.max(limit, least));
    }),
  );
});
