import type { SpoolRecord } from "@fairlead/contract";
import { expect, test } from "vitest";
import { compare, isSteady } from "./compare.ts";
import type { Performance } from "./performance.ts";

const said = (...messages: object[]): SpoolRecord[] =>
  messages.map((message, at) => ({
    seq: at + 1,
    kind: "out",
    process: 1,
    at: 0,
    id: "",
    bytes: Buffer.from(`${JSON.stringify(message)}\n`),
  }));

const played = (records: SpoolRecord[], flags: string[] = ["--a"]): Performance => ({
  version: "1",
  flags,
  scenes: [{ name: "plain", records, events: [] }],
  verdicts: [],
});

const result = { type: "result", usage: { input: 1, output: 2 }, ok: true };

test("the same is no drift, whatever the values and their order", () => {
  const drift = compare(
    played(said(result)),
    played(said({ ok: false, usage: { output: 9, input: 3 }, type: "result" })),
  );
  expect(isSteady(drift)).toBe(true);
});

test("a renamed field, a new message and a dropped flag are each one sentence", () => {
  const { ok, ...rest } = result;
  const drift = compare(
    played(said(result), ["--a", "--b"]),
    played(said({ ...rest, fine: ok }, { type: "novelty", deep: { deeper: 1 } })),
  );
  expect(drift).toEqual({
    flags: ["The flag --b has vanished."],
    wire: [
      'The message "novelty" has appeared.',
      'The member ok of "result" has vanished.',
      'The member fine of "result" has appeared.',
    ],
    events: [],
    clauses: [],
  });
});

test("a member with members is one difference, and a changed type is told", () => {
  const drift = compare(
    played(said(result)),
    played(said({ ...result, ok: "yes", cost: { amount: 1, currency: "USD" } })),
  );
  expect(drift.wire).toEqual([
    'The member cost of "result" has appeared.',
    'The member ok of "result" was boolean and is string.',
  ]);
});

test("what a tool is given is no part of the protocol", () => {
  const call = (input: object): object => ({ type: "assistant", message: { content: [{ type: "tool_use", input }] } });
  expect(compare(played(said(call({ path: "a" }))), played(said(call({ command: "b" }))))).toMatchObject({ wire: [] });
});
