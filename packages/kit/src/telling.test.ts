import { advance, emptyLedger, Event, type AgentEvent, type Opening, type SpoolRecord } from "@fairlead/contract";
import { expect, test } from "vitest";
import { emptyFold, type FoldState } from "./fold-state.ts";
import { Telling } from "./telling.ts";

const opening: Opening = {
  session: "s",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  workspace: "/w",
  mode: "default",
  settings: {},
  finding: { installed: true, program: "agent", version: "2", flags: [], auth: "none", problems: [] },
  continues: null,
};
const record: SpoolRecord = { seq: 7, kind: "out", process: 1, at: 1000, id: "", bytes: Buffer.alloc(0) };
const started: AgentEvent = {
  type: "session.started",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  agentVersion: "2",
  protocol: "lines",
  flags: [],
  workspace: "/w",
  mode: "default",
  continues: null,
};
const turn: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const tool: AgentEvent = { type: "tool.requested", call: "c", name: "Bash", input: {} };
const ask: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
const tokens = { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
const over: AgentEvent = { type: "session.ended", reason: "stopped", exit: null };

/** A telling that begins after some events. */
function after(...events: AgentEvent[]): Telling {
  const ledger = events.reduce((sofar, event) => advance(sofar, event).ledger, emptyLedger);
  return new Telling({ ...emptyFold, opening, ledger }, record);
}
const drafts = ({ folded }: Telling) => folded.told.flatMap((one) => ("body" in one ? [one] : []));
const bodies = (telling: Telling) => drafts(telling).map(({ body }) => body);

test("an event gets an envelope that follows from its record alone", () => {
  const telling = after(started);
  telling.tell(turn);
  telling.say({ type: "text.ended", text: "hello" });
  const common = { session: "s", turn: "t", occurredAt: "1970-01-01T00:00:01.000Z", agent: "made-up", spool: 7 };
  expect(telling.folded.told).toEqual([
    { ...common, id: "s/7.0", model: null, synthetic: false, body: turn },
    { ...common, id: "s/7.1", model: null, synthetic: true, body: { type: "text.ended", text: "hello" } },
  ]);
  for (const draft of drafts(telling)) Event.parse({ ...draft, sequence: 1, epoch: 1 });
});

test("the end of a turn stands in the envelope of that turn; what comes after it, in none", () => {
  const telling = after(started, turn);
  telling.tell({ type: "turn.ended", turn: "t", outcome: "completed" });
  telling.tell({ type: "status.reported", level: "info", message: "so" });
  expect(drafts(telling).map((draft) => draft.turn)).toEqual(["t", null]);
});

test("once the model is known, it is on every event from that one on", () => {
  const telling = after(started);
  telling.tell({ type: "session.changed", agentSessionId: "n" });
  telling.tell({ type: "session.changed", model: "m" });
  telling.tell({ type: "session.changed", agentSessionId: "o" });
  // A helper of the agent may use another; that is not the session's.
  telling.tell({ type: "usage.reported", provider: "p", model: "small", tokens, cost: null, provenance: "reported" });
  expect(drafts(telling).map(({ model }) => model)).toEqual([null, "m", "m", "m"]);
  expect(telling.state.model).toBe("m");
});

test.each([
  ["interrupted", "interrupted"],
  ["completed", "unfinished"],
  ["failed", "unfinished"],
  ["limited", "unfinished"],
] as const)("a turn that ends as %s first closes what the agent left open in it, as %s", (outcome, reason) => {
  const telling = after(started, turn, tool, ask);
  telling.tell({ type: "turn.ended", turn: "t", outcome });
  expect(bodies(telling)).toEqual([
    { type: "tool.ended", call: "c", name: "Bash", ok: false, output: "", reason },
    { type: "decision.resolved", decision: "d", outcome: "canceled", by: "runtime" },
    { type: "turn.ended", turn: "t", outcome },
  ]);
  expect(drafts(telling).map(({ synthetic }) => synthetic)).toEqual([true, true, false]);
});

test("what is unlawful is kept as one thing that was not understood, and changes nothing", () => {
  const telling = after(started);
  const { ledger } = telling.state;
  telling.tell({ type: "text.ended", text: "out of turn" });
  expect(drafts(telling)).toMatchObject([
    {
      synthetic: true,
      body: {
        type: "unrecognized",
        reason: "unlawful: text.ended without an open turn",
        raw: '{"type":"text.ended","text":"out of turn"}',
      },
    },
  ]);
  expect(telling.state.ledger).toEqual(ledger);
});

test("of something long that is unlawful the beginning is kept", () => {
  const telling = after(started);
  telling.tell({ type: "text.ended", text: "x".repeat(9000) });
  const [body] = bodies(telling);
  expect(body?.type === "unrecognized" && body.raw).toMatch(/^\{"type":"text.ended","text":"x+$/);
  expect(body?.type === "unrecognized" && body.raw.length).toBe(4000);
});

test("after the end nothing is told, whoever says it", () => {
  const telling = after(started, over);
  telling.tell({ type: "text.ended", text: "still here" });
  telling.tell({ type: "unrecognized", reason: "why", raw: "?" });
  telling.say(over);
  expect(telling.folded).toEqual({ told: [], orders: [], refusal: null });
});

test("deltas stand between the events, without a number", () => {
  const telling = after(started, turn);
  const delta = { type: "text.delta", text: "hel" } as const;
  telling.tell({ type: "text.ended", text: "a" });
  telling.pass(delta);
  telling.tell({ type: "text.ended", text: "b" });
  expect(telling.folded.told.map((one) => ("body" in one ? one.id : one))).toEqual(["s/7.0", delta, "s/7.1"]);
});

test("orders are known by their record and their place in it", () => {
  const telling = after(started);
  telling.order({ type: "hangup" });
  telling.tell(turn);
  telling.order({ type: "kill" });
  expect(telling.folded.orders).toEqual([
    { id: "7.0", at: 1000, effect: { type: "hangup" } },
    { id: "7.1", at: 1000, effect: { type: "kill" } },
  ]);
});

test("an error is remembered until the next turn begins", () => {
  const telling = after(started);
  const erred: FoldState["erred"][] = [telling.state.erred];
  const error: AgentEvent = { type: "error.raised", category: "unknown", message: "oh" };
  const aside: AgentEvent = { type: "status.reported", level: "info", message: "so" };
  for (const event of [error, aside, turn, tool]) {
    telling.tell(event);
    erred.push(telling.state.erred);
  }
  expect(erred).toEqual([false, true, true, false, false]);
});

test("nothing can be told before the opening", () => {
  expect(() => new Telling(emptyFold, record).say(started)).toThrow("A spool begins with its opening.");
});
