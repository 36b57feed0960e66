import type { SpoolRecord } from "@fairlead/contract";
import { expect, test } from "vitest";
import { compareBehavior, hasNoDrift } from "./compare-behavior.ts";
import type { AgentBehavior } from "./agent-behavior.ts";

const outputRecords = (...messages: object[]): SpoolRecord[] =>
  messages.map((message, index) => ({
    seq: index + 1,
    kind: "out",
    process: 1,
    at: 0,
    id: "",
    bytes: Buffer.from(`${JSON.stringify(message)}\n`),
  }));

const behaviorOf = (records: SpoolRecord[], flags: string[] = ["--a"]): AgentBehavior => ({
  version: "1",
  flags,
  scenarios: [{ name: "plain", records, events: [] }],
  verdicts: [],
});

const result = { type: "result", usage: { input: 1, output: 2 }, ok: true };

test("reports no drift if only values and the order of members differ", () => {
  const drift = compareBehavior(
    behaviorOf(outputRecords(result)),
    behaviorOf(outputRecords({ ok: false, usage: { output: 9, input: 3 }, type: "result" })),
  );
  expect(hasNoDrift(drift)).toBe(true);
});

test("reports a renamed field, a new message and a removed flag in one sentence each", () => {
  const { ok, ...rest } = result;
  const drift = compareBehavior(
    behaviorOf(outputRecords(result), ["--a", "--b"]),
    behaviorOf(outputRecords({ ...rest, fine: ok }, { type: "new-message", deep: { deeper: 1 } })),
  );
  expect(drift).toEqual({
    flags: ["The flag --b has vanished."],
    wire: [
      'The message "new-message" has appeared.',
      'The member ok of "result" has vanished.',
      'The member fine of "result" has appeared.',
    ],
    events: [],
    clauses: [],
  });
});

test("reports a new nested member as one difference, and a changed type", () => {
  const drift = compareBehavior(
    behaviorOf(outputRecords(result)),
    behaviorOf(outputRecords({ ...result, ok: "yes", cost: { amount: 1, currency: "USD" } })),
  );
  expect(drift.wire).toEqual([
    'The member cost of "result" has appeared.',
    'The member ok of "result" was boolean and is string.',
  ]);
});

test("ignores the members of tool input", () => {
  const call = (input: object): object => ({ type: "assistant", message: { content: [{ type: "tool_use", input }] } });
  expect(
    compareBehavior(behaviorOf(outputRecords(call({ path: "a" }))), behaviorOf(outputRecords(call({ command: "b" })))),
  ).toMatchObject({ wire: [] });
});
