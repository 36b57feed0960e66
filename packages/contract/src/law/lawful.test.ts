import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { closingOf, type Closing } from "./closing.ts";
import { lawful } from "./lawful.ts";
import { advance, emptyLedger, isOpen, openTurn, type Ledger } from "./ledger.ts";

const started: AgentEvent = {
  type: "session.started",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  agentVersion: null,
  protocol: "lines",
  flags: [],
  workspace: "/w",
  mode: "default",
  continues: null,
};
const ended: AgentEvent = { type: "session.ended", reason: "stopped", exit: null };

/** Events with few enough names that a walk meets the same one again and again. */
const anyEvent: fc.Arbitrary<AgentEvent> = fc
  .record({ turn: fc.constantFrom("1", "2"), call: fc.constantFrom("a", "b"), decision: fc.constantFrom("a", "b") })
  .chain(({ turn, call, decision }) =>
    fc.constantFrom<AgentEvent>(
      started,
      ended,
      { type: "session.changed", agentSessionId: "n" },
      { type: "session.paused", reason: "idle" },
      { type: "session.resumed", outcome: "native", agentSessionId: "n" },
      { type: "lead.changed", lead: "human" },
      { type: "lead.changed", lead: "agent" },
      { type: "turn.started", turn, input: "do", origin: "user" },
      { type: "turn.ended", turn, outcome: "completed" },
      { type: "text.ended", text: "hello" },
      { type: "tool.requested", call, name: `tool ${call}`, input: {} },
      { type: "tool.started", call },
      { type: "tool.progressed", call, output: "." },
      { type: "tool.ended", call, name: `tool ${call}`, ok: true, output: "" },
      { type: "file.changed", path: "a", change: "modified", call },
      { type: "decision.requested", decision, kind: "approval", title: "May I?", call },
      { type: "decision.resolved", decision, outcome: "denied", by: "user" },
      { type: "status.reported", level: "info", message: "so" },
    ),
  );

/** A walk along the law: of many events wished for, those that it allows when their time comes. */
const lawfulHistory = fc
  .array(anyEvent, { minLength: 5, maxLength: 80, size: "max" })
  .map((wished) => [started, ...wished.filter((event) => event.type !== "session.ended")])
  .map((wished) => walk(wished).taken);

function walk(wished: readonly AgentEvent[]): { taken: AgentEvent[]; ledger: Ledger } {
  const taken: AgentEvent[] = [];
  let ledger = emptyLedger;
  for (const event of wished) {
    const step = advance(ledger, event);
    ledger = step.ledger;
    if (step.violation === null) taken.push(event);
  }
  return { taken, ledger };
}

type Mutation = (events: readonly AgentEvent[], at: number) => readonly AgentEvent[];
const mutations: Readonly<Record<string, Mutation>> = {
  drop: (events, at) => events.toSpliced(at, 1),
  double: (events, at) => events.toSpliced(at, 0, ...events.slice(at, at + 1)),
  swap: (events, at) => [...events.slice(0, at), ...events.slice(at, at + 2).toReversed(), ...events.slice(at + 2)],
  rename: (events, at) => events.map((event, index) => (index === at ? renamed(event) : event)),
  "end early": (events, at) => events.toSpliced(at, 0, ended),
};

function renamed(event: AgentEvent): AgentEvent {
  if ("decision" in event) return { ...event, decision: "another" };
  if ("turn" in event) return { ...event, turn: "another" };
  return "call" in event ? { ...event, call: "another" } : event;
}

/**
 * The law once more, as a plain machine and without the table: which of these events have no right to come. Somebody
 * who thinks that the table is wrong can read it here in another way.
 */
function unlawful(events: readonly AgentEvent[]): number[] {
  let stage: "before" | "on" | "paused" | "taken" | "over" = "before";
  let turn: string | null = null;
  const tools = new Map<string, { started: boolean }>();
  const decisions = new Set<string>();
  const take = (event: AgentEvent): boolean => {
    if (event.type === "session.started") return stage === "before" && ((stage = "on"), true);
    if (stage === "before" || stage === "over") return false;
    switch (event.type) {
      case "session.ended":
        return turn === null && ((stage = "over"), true);
      case "session.paused":
        return stage === "on" && turn === null && ((stage = "paused"), true);
      case "session.resumed":
        return (stage === "paused" || stage === "on") && turn === null && ((stage = "on"), true);
      case "lead.changed":
        if (event.lead === "agent") return stage === "taken" && ((stage = "on"), true);
        return (stage === "paused" || stage === "on") && turn === null && ((stage = "taken"), true);
      case "turn.started":
        return stage === "on" && turn === null && ((turn = event.turn), true);
      case "turn.ended":
        return turn === event.turn && tools.size === 0 && decisions.size === 0 && ((turn = null), true);
      case "text.ended":
      case "file.changed":
        return turn !== null;
      case "tool.requested":
        return turn !== null && !tools.has(event.call) && (tools.set(event.call, { started: false }), true);
      case "tool.started": {
        const tool = tools.get(event.call);
        return tool?.started === false && (tool.started = true);
      }
      case "tool.progressed":
        return tools.has(event.call);
      case "tool.ended":
        return tools.delete(event.call);
      case "decision.requested":
        return turn !== null && !decisions.has(event.decision) && (decisions.add(event.decision), true);
      case "decision.resolved":
        return decisions.delete(event.decision);
      default:
        return true;
    }
  };
  return events.flatMap((event, index) => (take(event) ? [] : [index + 1]));
}

/** A journal of some events, as a careful writer keeps it. */
function journalOf(events: readonly AgentEvent[]): Event[] {
  let ledger = emptyLedger;
  return events.map((body, index) => {
    const turn = body.type === "turn.started" ? body.turn : openTurn(ledger);
    ({ ledger } = advance(ledger, body));
    const sequence = index + 1;
    return {
      id: `s/${sequence}.0`,
      session: "s",
      sequence,
      epoch: 1,
      turn,
      occurredAt: "2026-01-01T00:00:00.000Z",
      agent: "made-up",
      model: null,
      spool: sequence,
      synthetic: false,
      body,
    };
  });
}

const sequences = (journal: readonly Event[]): number[] => lawful(journal).map(({ sequence }) => sequence);

test("a walk along the law gets somewhere", () => {
  const seen = new Set(
    fc
      .sample(lawfulHistory, { numRuns: 200, seed: 1 })
      .flat()
      .map(({ type }) => type),
  );
  expect(seen.size).toBe(16);
});

test("a walk along the law is lawful, and may stop anywhere", () => {
  fc.assert(
    fc.property(lawfulHistory, fc.nat(), (events, cut) => {
      expect(lawful(journalOf(events))).toEqual([]);
      expect(lawful(journalOf(events.slice(0, cut % (events.length + 1))))).toEqual([]);
    }),
  );
});

test("any events at all: the table and the plain machine object to the same ones", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60, size: "max" }), (events) => {
      expect(sequences(journalOf(events))).toEqual(unlawful(events));
    }),
    { numRuns: 300 },
  );
});

test.each(Object.entries(mutations))("%s: what that makes unlawful is found, and nothing else", (_, mutate) => {
  let broken = 0;
  fc.assert(
    fc.property(lawfulHistory, fc.nat(), (events, at) => {
      const mutant = mutate(events, at % events.length);
      const wrong = unlawful(mutant);
      broken += wrong.length;
      expect(sequences(journalOf(mutant))).toEqual(wrong);
    }),
    { numRuns: 300 },
  );
  expect(broken).toBeGreaterThan(0);
});

test("from anywhere, closing what is open leads to a lawful end", () => {
  const closings = fc.record<Closing>({
    turn: fc.constantFrom("completed", "interrupted", "failed", "limited"),
    tool: fc.constantFrom("failed", "denied", "interrupted", "unfinished", undefined),
  });
  fc.assert(
    fc.property(lawfulHistory, closings, (events, closing) => {
      const { ledger } = walk(events);
      const closed = closingOf(ledger, "session", closing);
      expect(lawful(journalOf([...events, ...closed, ended]), { whole: true })).toEqual([]);
      // Closing a turn leaves the turn itself, and nothing in it.
      const inTurn = closingOf(ledger, "turn", closing);
      expect(inTurn).toEqual(closed.filter(({ type }) => type !== "turn.ended"));
      const after = inTurn.reduce((sofar, event) => advance(sofar, event).ledger, ledger);
      expect(openTurn(after)).toBe(openTurn(ledger));
      expect(isOpen(after, "tool") || isOpen(after, "decision")).toBe(false);
    }),
  );
});

test("what is closed from outside says so: innermost first, by the runtime, with the name it had", () => {
  const { ledger } = walk([
    started,
    { type: "turn.started", turn: "1", input: "do", origin: "user" },
    { type: "tool.requested", call: "a", name: "Bash", input: {} },
    { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" },
  ]);
  expect(closingOf(ledger, "session", { turn: "failed", tool: "unfinished" })).toEqual([
    { type: "tool.ended", call: "a", name: "Bash", ok: false, output: "", reason: "unfinished" },
    { type: "decision.resolved", decision: "d", outcome: "canceled", by: "runtime" },
    { type: "turn.ended", turn: "1", outcome: "failed" },
  ]);
  expect(closingOf(ledger, "turn", { turn: "completed", tool: undefined })[0]).toStrictEqual({
    type: "tool.ended",
    call: "a",
    name: "Bash",
    ok: false,
    output: "",
  });
});

test("a pause ends with the session and needs no closing", () => {
  const { ledger } = walk([started, { type: "session.paused", reason: "asked" }]);
  expect(isOpen(ledger, "pause")).toBe(true);
  expect(closingOf(ledger, "session", { turn: "failed", tool: "unfinished" })).toEqual([]);
  expect(advance(ledger, ended).ledger).toEqual({ over: true, open: [] });
});

const three = journalOf([
  started,
  { type: "turn.started", turn: "1", input: "do", origin: "user" },
  { type: "text.ended", text: "hello" },
]);
const last = three.length - 1;
const withChange = (at: number, change: Partial<Event>): Event[] =>
  three.map((event, index) => (index === at ? { ...event, ...change } : event));

test.each<[string, Event[], { sequence: number; says: string }[]]>([
  ["skips a number", withChange(last, { sequence: 4 }), [{ sequence: 4, says: "the sequence is not dense from 1" }]],
  ["repeats one", withChange(last, { sequence: 2 }), [{ sequence: 2, says: "the sequence is not dense from 1" }]],
  ["changes the session", withChange(last, { session: "x" }), [{ sequence: 3, says: "the session changes" }]],
  ["goes back in spool", withChange(last, { spool: 1 }), [{ sequence: 3, says: "the spool position goes back" }]],
  ["repeats an id", withChange(last, { id: "s/2.0" }), [{ sequence: 3, says: "an id is used twice" }]],
  [
    "goes back in epoch",
    withChange(1, { epoch: 3 }).with(last, { ...(three[last] as Event), epoch: 2 }),
    [{ sequence: 3, says: "the epoch goes back" }],
  ],
  [
    "names no turn though one is open",
    withChange(last, { turn: null }),
    [{ sequence: 3, says: "the envelope names turn null while 1 is open" }],
  ],
  [
    "starts a turn in the envelope of none",
    withChange(1, { turn: null }),
    [{ sequence: 2, says: "the envelope names turn null while 1 is open" }],
  ],
  [
    "names a turn before there is one",
    withChange(0, { turn: "1" }),
    [{ sequence: 1, says: "the envelope names turn 1 while null is open" }],
  ],
])("an envelope that %s is found", (_, journal, violations) => {
  expect(lawful(journal)).toEqual(violations);
});

test("an envelope may go on in a later epoch and from the same spool record", () => {
  expect(lawful(withChange(last, { epoch: 2, spool: 2 }))).toEqual([]);
});

test("a journal that begins in the middle is not dense from 1", () => {
  expect(lawful(three.slice(1))[0]).toEqual({ sequence: 2, says: "turn.started without an open session" });
  expect(lawful(three.slice(1)).map(({ says }) => says)).toContain("the sequence is not dense from 1");
});

test("a whole journal has come to its end; another may stop anywhere, even before it began", () => {
  const unended = (sequence: number) => [{ sequence, says: "the session has not ended" }];
  expect(lawful([])).toEqual([]);
  expect(lawful([], { whole: true })).toEqual(unended(0));
  expect(lawful(three, { whole: true })).toEqual(unended(3));
  expect(lawful(journalOf([started, ended]), { whole: true })).toEqual([]);
});
