import { advance, AgentEvent, emptyLedger, maxEventBytes, maxTextLength, type Ledger } from "@fairlead/contract";
import { exampleStart as started } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { limitEvent } from "./limit-event.ts";

const turn = { type: "turn.started", turn: "t", input: "do", origin: "user" } as const satisfies AgentEvent;

/** Limits events one after the other, as the emitter does, and fails if one is not lawful. */
function limitAll(...events: AgentEvent[]): AgentEvent[] {
  let ledger: Ledger = [started, turn].reduce((current, event) => advance(current, event).ledger, emptyLedger);
  return events.flatMap((event) =>
    limitEvent(ledger, event).map((limited) => {
      const result = advance(ledger, limited);
      expect(result.violation).toBeNull();
      ledger = result.ledger;
      return limited;
    }),
  );
}

const numbers = (events: readonly AgentEvent[]): unknown[] =>
  events.map((event) => ("part" in event ? [event.part, event.last ?? false] : null));
const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => ("text" in event ? event.text : "")).join("");

describe.each(["text.ended", "reasoning.ended"] as const)("%s", (type) => {
  test("of the longest length is one event", () => {
    const text = "x".repeat(maxTextLength);
    expect(limitAll({ type, text })).toEqual([{ type, text }]);
  });

  test("that is longer ends in numbered parts without a split character", () => {
    const text = "x😀".repeat(maxTextLength);
    const parts = limitAll({ type, text, parent: "c" });
    expect(numbers(parts)).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ]);
    expect(textOf(parts) === text).toBe(true);
    for (const part of parts) {
      expect("text" in part && part.text.length <= maxTextLength && part.text.isWellFormed()).toBe(true);
      expect(part).toMatchObject({ parent: "c" });
    }
  });

  test("in parts of a dialect is numbered again if a part is too long", () => {
    const long = "x".repeat(maxTextLength + 1);
    const parts = limitAll(
      { type, text: long, part: 1 },
      { type, text: "y", part: 2 },
      { type, text: "z", part: 3, last: true },
    );
    expect(numbers(parts)).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ]);
    expect(textOf(parts) === `${long}yz`).toBe(true);
  });

  test("that does not continue the open one loses nothing", () => {
    const parts = limitAll({ type, text: "a", part: 1 }, { type, text: "b" }, { type, text: "c", part: 7 });
    expect(parts).toEqual([
      { type, text: "a", part: 1 },
      { type, text: "", part: 2, last: true },
      { type, text: "b" },
      { type, text: "c", part: 1 },
    ]);
    expect(limitAll({ type, text: "a", part: 1, last: true })).toEqual([{ type, text: "a" }]);
  });
});

/** A control character takes six bytes in JSON: the largest form of a text. */
const long = "\u0001".repeat(4 * maxTextLength);
const mark = `[${3 * maxTextLength} more characters are not shown]`;
const open = { type: "tool.requested", call: "c", name: "Bash", input: {} } as const satisfies AgentEvent;

test.each<[string, AgentEvent[]]>([
  ["the input of a call", [{ ...open, input: { command: [long], path: "a" } }]],
  ["the name of a call", [{ ...open, name: long }]],
  ["the output of a call", [open, { type: "tool.ended", call: "c", name: "Bash", ok: true, output: long }]],
  ["the progress of a call", [open, { type: "tool.progressed", call: "c", output: long }]],
  ["a step of a plan", [{ type: "plan.updated", steps: [{ text: long, state: "done" }] }]],
  ["a status", [{ type: "status.reported", level: "warning", message: long }]],
  ["an error", [{ type: "error.raised", category: "unknown", message: long }]],
  ["a raw line", [{ type: "unrecognized", reason: "why", raw: long }]],
  [
    "the title of a request",
    [{ type: "decision.requested", decision: "d", kind: "approval", title: long, input: { command: "ls" } }],
  ],
])("%s is cut, with a mark that says how much is missing", (_, events) => {
  const limited = limitAll(...events).at(-1);
  const json = JSON.stringify(limited);
  expect(json.includes(mark)).toBe(true);
  expect(Buffer.byteLength(json)).toBeLessThan(maxEventBytes);
  expect(limited?.type).toBe(events.at(-1)?.type);
  expect(AgentEvent.safeParse(limited).success).toBe(true);
});

test("a message of a person and the input of a request stay whole", () => {
  const input = "x".repeat(3 * maxTextLength);
  const events: AgentEvent[] = [
    { type: "message.queued", turn: "u", text: input },
    { type: "turn.steered", turn: "t", text: input },
    { type: "decision.requested", decision: "d", kind: "approval", title: "May I?", input: { command: input } },
  ];
  expect(limitAll(...events)).toEqual(events);
});

test("an input of very many values becomes the beginning of its JSON", () => {
  const [limited] = limitAll({ ...open, input: Array.from({ length: 1_000_000 }, () => 1e20) });
  expect(limited?.type === "tool.requested" && limited.input).toMatch(/^\[1000.*more characters are not shown\]$/s);
});

test("an event that cannot be cut and is too large becomes an unrecognized event", () => {
  const input = "\u0001".repeat(3 * maxTextLength);
  const [limited] = limitAll({ type: "decision.requested", decision: "d", kind: "approval", title: "?", input });
  expect(limited).toMatchObject({ type: "unrecognized", reason: expect.stringMatching(/^too large: decision/) });
});
