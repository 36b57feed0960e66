import { advance, emptyLedger, Event, type AgentEvent, type SpoolRecord } from "@fairlead/contract";
import { exampleOpening as opening, exampleStart as started } from "@fairlead/testing/reducer/example-opening.ts";
import { expect, test } from "vitest";
import { initialSessionState, type SessionState } from "./session-state.ts";
import { Emitter } from "./emitter.ts";

const record: SpoolRecord = { seq: 7, kind: "out", process: 1, at: 1000, id: "", bytes: Buffer.alloc(0) };
const turn: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const tool: AgentEvent = { type: "tool.requested", call: "c", name: "Bash", input: {} };
const decision: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
const tokens = { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
const sessionEnded: AgentEvent = { type: "session.ended", reason: "stopped", exit: null };

/** An emitter whose ledger contains these events. */
function emitterAfter(...events: AgentEvent[]): Emitter {
  const ledger = events.reduce((current, event) => advance(current, event).ledger, emptyLedger);
  return new Emitter({ ...initialSessionState, opening, ledger }, record);
}
const drafts = ({ reduction }: Emitter) => reduction.outputs.flatMap((output) => ("body" in output ? [output] : []));
const bodies = (emitter: Emitter) => drafts(emitter).map(({ body }) => body);

test("derives the envelope of an event from its record alone", () => {
  const emitter = emitterAfter(started);
  emitter.emit(turn);
  emitter.emitOwn({ type: "text.ended", text: "hello" });
  const common = { session: "s", turn: "t", occurredAt: "1970-01-01T00:00:01.000Z", agent: "made-up", spool: 7 };
  expect(emitter.reduction.outputs).toEqual([
    { ...common, id: "s/7.0", model: null, synthetic: false, body: turn },
    { ...common, id: "s/7.1", model: null, synthetic: true, body: { type: "text.ended", text: "hello" } },
  ]);
  for (const draft of drafts(emitter)) Event.parse({ ...draft, sequence: 1, epoch: 1 });
});

test("turn.ended belongs to its turn, and later events to none", () => {
  const emitter = emitterAfter(started, turn);
  emitter.emit({ type: "turn.ended", turn: "t", outcome: "completed" });
  emitter.emit({ type: "status.reported", level: "info", message: "so" });
  expect(drafts(emitter).map((draft) => draft.turn)).toEqual(["t", null]);
});

test("puts the model on every event once it is known", () => {
  const emitter = emitterAfter(started);
  emitter.emit({ type: "session.changed", agentSessionId: "n" });
  emitter.emit({ type: "session.changed", model: "m" });
  emitter.emit({ type: "session.changed", agentSessionId: "o" });
  // A sub-agent may use another model, which is not the session's model.
  emitter.emit({ type: "usage.reported", provider: "p", model: "small", tokens, cost: null, provenance: "reported" });
  expect(drafts(emitter).map(({ model }) => model)).toEqual([null, "m", "m", "m"]);
  expect(emitter.state.model).toBe("m");
});

test.each([
  ["interrupted", "interrupted"],
  ["completed", "unfinished"],
  ["failed", "unfinished"],
  ["limited", "unfinished"],
] as const)("a turn that ends as %s first closes its open scopes, tools as %s", (outcome, reason) => {
  const emitter = emitterAfter(started, turn, tool, decision);
  emitter.emit({ type: "turn.ended", turn: "t", outcome });
  expect(bodies(emitter)).toEqual([
    { type: "tool.ended", call: "c", name: "Bash", ok: false, output: "", reason },
    { type: "decision.resolved", decision: "d", outcome: "canceled", by: { kind: "runtime" } },
    { type: "turn.ended", turn: "t", outcome },
  ]);
  expect(drafts(emitter).map(({ synthetic }) => synthetic)).toEqual([true, true, false]);
});

test("emits an unlawful event as one unrecognized event and keeps the ledger", () => {
  const emitter = emitterAfter(started);
  const { ledger } = emitter.state;
  emitter.emit({ type: "text.ended", text: "out of turn" });
  expect(drafts(emitter)).toMatchObject([
    {
      synthetic: true,
      body: {
        type: "unrecognized",
        reason: "unlawful: text.ended without an open turn",
        raw: '{"type":"text.ended","text":"out of turn"}',
      },
    },
  ]);
  expect(emitter.state.ledger).toEqual(ledger);
});

test("shortens a long unlawful event", () => {
  const emitter = emitterAfter(started);
  emitter.emit({ type: "text.ended", text: "x".repeat(9000) });
  const [body] = bodies(emitter);
  expect(body?.type === "unrecognized" && body.raw).toMatch(/^\{"type":"text.ended","text":"x+$/);
  expect(body?.type === "unrecognized" && body.raw.length).toBe(4000);
});

test("emits nothing after the end of the session", () => {
  const emitter = emitterAfter(started, sessionEnded);
  emitter.emit({ type: "text.ended", text: "still here" });
  emitter.emit({ type: "unrecognized", reason: "why", raw: "?" });
  emitter.emitOwn(sessionEnded);
  expect(emitter.reduction).toEqual({ outputs: [], pendingEffects: [], rejection: null });
});

test("keeps deltas in order between the events, without an id", () => {
  const emitter = emitterAfter(started, turn);
  const delta = { type: "text.delta", text: "hel" } as const;
  emitter.emit({ type: "text.ended", text: "a" });
  emitter.emitDelta(delta);
  emitter.emit({ type: "text.ended", text: "b" });
  expect(emitter.reduction.outputs.map((output) => ("body" in output ? output.id : output))).toEqual([
    "s/7.0",
    delta,
    "s/7.1",
  ]);
});

test("derives the id of an effect from its record and position", () => {
  const emitter = emitterAfter(started);
  emitter.enqueueEffect({ type: "close-stdin" });
  emitter.emit(turn);
  emitter.enqueueEffect({ type: "kill" });
  expect(emitter.reduction.pendingEffects).toEqual([
    { id: "7.0", at: 1000, effect: { type: "close-stdin" } },
    { id: "7.1", at: 1000, effect: { type: "kill" } },
  ]);
});

test("remembers an error until the next turn starts", () => {
  const emitter = emitterAfter(started);
  const hasError: SessionState["hasError"][] = [emitter.state.hasError];
  const error: AgentEvent = { type: "error.raised", category: "unknown", message: "oh" };
  const notice: AgentEvent = { type: "status.reported", level: "info", message: "so" };
  for (const event of [error, notice, turn, tool]) {
    emitter.emit(event);
    hasError.push(emitter.state.hasError);
  }
  expect(hasError).toEqual([false, true, true, false, false]);
});

test("throws for an event before the opening", () => {
  expect(() => new Emitter(initialSessionState, record).emitOwn(started)).toThrow("its first record is not an opening");
});

const invalidEvents: Readonly<Record<string, unknown>> = {
  "no object": null,
  "an unknown type": { type: "text.sung", text: "la" },
  "a missing path": { type: "file.changed", change: "created", call: "c" },
  "an input without a value": { type: "tool.requested", call: "c", name: "Bash", input: undefined },
  "a function as name": { type: "tool.requested", call: "c", name: String, input: {} },
  "a negative count": {
    type: "usage.reported",
    provider: "p",
    model: "m",
    tokens: { ...tokens, output: -1 },
    cost: null,
    provenance: "reported",
  },
  "a count above 2^53": {
    type: "usage.reported",
    provider: "p",
    model: "m",
    tokens: { ...tokens, output: 2 ** 60 },
    cost: null,
    provenance: "reported",
  },
  "an extra field": { type: "text.ended", text: "a", more: 1 },
  "an unknown outcome": { type: "turn.ended", turn: "t", outcome: "odd" },
  "raw output without text": { type: "unrecognized", reason: "r", raw: undefined },
  "a value that is not JSON": { type: "text.ended", text: 1n },
};

test.each(Object.entries(invalidEvents))("an event with %s becomes one unrecognized event", (_, event) => {
  const emitter = emitterAfter(started, turn);
  const before = emitter.state.ledger;
  emitter.emit(event as AgentEvent);
  expect(bodies(emitter)).toEqual([
    { type: "unrecognized", reason: expect.stringMatching(/^invalid event: ./), raw: expect.any(String) },
  ]);
  expect(emitter.state.ledger).toBe(before);
  for (const draft of drafts(emitter)) Event.parse({ ...draft, sequence: 1, epoch: 1 });
});

test("an optional field without a value is left out, as in JSON", () => {
  const emitter = emitterAfter(started, turn);
  emitter.emit({ type: "text.ended", text: "a", parent: undefined } as unknown as AgentEvent);
  expect(bodies(emitter)).toStrictEqual([{ type: "text.ended", text: "a" }]);
});

test("gives a record a time that an event may have, whatever its spool says", () => {
  for (const at of [0, 8.64e15, Math.floor(2 ** 64 / 1000)]) {
    const emitter = new Emitter({ ...initialSessionState, opening }, { ...record, at });
    emitter.emit(started);
    for (const draft of drafts(emitter)) Event.parse({ ...draft, sequence: 1, epoch: 1 });
    expect(drafts(emitter)).toHaveLength(1);
  }
});

const aboutCall: AgentEvent = { ...decision, call: "c" };
const resolved = { type: "decision.resolved", decision: "d", by: { kind: "person" } } as const;

test.each<[string, "gated" | "observed", AgentEvent[]]>([
  ["nobody was asked about", "observed", []],
  ["a person still decides about", "observed", [aboutCall]],
  ["was allowed", "gated", [aboutCall, { ...resolved, outcome: "allowed" }]],
  ["a question was answered for", "gated", [aboutCall, { ...resolved, outcome: "answered" }]],
  ["was denied", "observed", [aboutCall, { ...resolved, outcome: "denied" }]],
  [
    "is not the one that was allowed",
    "observed",
    [
      { ...decision, call: "d" },
      { ...resolved, outcome: "allowed" },
    ],
  ],
  ["is not named by what was allowed", "observed", [decision, { ...resolved, outcome: "allowed" }]],
])("a call that %s starts as %s", (_, enforcement, before) => {
  const emitter = emitterAfter(started, turn, tool, ...before);
  emitter.emit({ type: "tool.started", call: "c", enforcement: "gated" });
  expect(bodies(emitter)).toEqual([{ type: "tool.started", call: "c", enforcement }]);
});
