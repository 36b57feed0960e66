import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { closingEvents, type ClosingOutcomes } from "./closing-events.ts";
import { findViolations } from "./find-violations.ts";
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

/** Events with few keys, so that a random history uses the same key repeatedly. */
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
      { type: "decision.resolved", decision, outcome: "denied", by: { kind: "person" } },
      { type: "status.reported", level: "info", message: "so" },
    ),
  );

/** A random lawful history: the candidates that the law allows at their position. */
const lawfulHistory = fc
  .array(anyEvent, { minLength: 5, maxLength: 80, size: "max" })
  .map((candidates) => [started, ...candidates.filter((event) => event.type !== "session.ended")])
  .map((candidates) => acceptLawful(candidates).accepted);

function acceptLawful(candidates: readonly AgentEvent[]): { accepted: AgentEvent[]; ledger: Ledger } {
  const accepted: AgentEvent[] = [];
  let ledger = emptyLedger;
  for (const event of candidates) {
    const result = advance(ledger, event);
    ledger = result.ledger;
    if (result.violation === null) accepted.push(event);
  }
  return { accepted, ledger };
}

type Mutation = (events: readonly AgentEvent[], at: number) => readonly AgentEvent[];
const mutations: Readonly<Record<string, Mutation>> = {
  drop: (events, at) => events.toSpliced(at, 1),
  double: (events, at) => events.toSpliced(at, 0, ...events.slice(at, at + 1)),
  swap: (events, at) => [...events.slice(0, at), ...events.slice(at, at + 2).toReversed(), ...events.slice(at + 2)],
  rename: (events, at) => events.map((event, index) => (index === at ? withOtherKey(event) : event)),
  "end early": (events, at) => events.toSpliced(at, 0, ended),
};

function withOtherKey(event: AgentEvent): AgentEvent {
  if ("decision" in event) return { ...event, decision: "another" };
  if ("turn" in event) return { ...event, turn: "another" };
  return "call" in event ? { ...event, call: "another" } : event;
}

/**
 * A second implementation of the law, as a state machine without the table: returns the positions of unlawful events.
 * The tests compare both, so that they find a wrong entry of the table.
 */
function findUnlawfulPositions(events: readonly AgentEvent[]): number[] {
  let phase: "before" | "running" | "paused" | "taken-over" | "ended" = "before";
  let turn: string | null = null;
  const tools = new Map<string, { started: boolean }>();
  const decisions = new Set<string>();
  const accept = (event: AgentEvent): boolean => {
    if (event.type === "session.started") return phase === "before" && ((phase = "running"), true);
    if (phase === "before" || phase === "ended") return false;
    switch (event.type) {
      case "session.ended":
        return turn === null && ((phase = "ended"), true);
      case "session.paused":
        return phase === "running" && turn === null && ((phase = "paused"), true);
      case "session.resumed":
        return (phase === "paused" || phase === "running") && turn === null && ((phase = "running"), true);
      case "lead.changed":
        if (event.lead === "agent") return phase === "taken-over" && ((phase = "running"), true);
        return (phase === "paused" || phase === "running") && turn === null && ((phase = "taken-over"), true);
      case "turn.started":
        return phase === "running" && turn === null && ((turn = event.turn), true);
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
  return events.flatMap((event, index) => (accept(event) ? [] : [index + 1]));
}

/** Builds a journal with correct envelopes. */
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

const violatingSequences = (journal: readonly Event[]): number[] =>
  findViolations(journal).map(({ sequence }) => sequence);

test("random lawful histories contain every event type of the sample", () => {
  const seen = new Set(
    fc
      .sample(lawfulHistory, { numRuns: 200, seed: 1 })
      .flat()
      .map(({ type }) => type),
  );
  expect(seen.size).toBe(16);
});

test("a lawful history has no violation, wherever it stops", () => {
  fc.assert(
    fc.property(lawfulHistory, fc.nat(), (events, cut) => {
      expect(findViolations(journalOf(events))).toEqual([]);
      expect(findViolations(journalOf(events.slice(0, cut % (events.length + 1))))).toEqual([]);
    }),
  );
});

test("the table and the state machine reject the same events of any history", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60, size: "max" }), (events) => {
      expect(violatingSequences(journalOf(events))).toEqual(findUnlawfulPositions(events));
    }),
    { numRuns: 300 },
  );
});

test.each(Object.entries(mutations))("finds exactly the events that the mutation %s makes unlawful", (_, mutate) => {
  let violationCount = 0;
  fc.assert(
    fc.property(lawfulHistory, fc.nat(), (events, at) => {
      const mutant = mutate(events, at % events.length);
      const unlawful = findUnlawfulPositions(mutant);
      violationCount += unlawful.length;
      expect(violatingSequences(journalOf(mutant))).toEqual(unlawful);
    }),
    { numRuns: 300 },
  );
  expect(violationCount).toBeGreaterThan(0);
});

test("the closing events lead to a lawful end from any history", () => {
  const anyOutcomes = fc.record<ClosingOutcomes>({
    turn: fc.constantFrom("completed", "interrupted", "failed", "limited"),
    tool: fc.constantFrom("failed", "denied", "interrupted", "unfinished", undefined),
    message: fc.constantFrom("stopped", "ended"),
  });
  fc.assert(
    fc.property(lawfulHistory, anyOutcomes, (events, outcomes) => {
      const { ledger } = acceptLawful(events);
      const closing = closingEvents(ledger, "session", outcomes);
      expect(findViolations(journalOf([...events, ...closing, ended]), { complete: true })).toEqual([]);
      // Closing the scopes of a turn leaves the turn itself open.
      const closingInTurn = closingEvents(ledger, "turn", outcomes);
      expect(closingInTurn).toEqual(closing.filter(({ type }) => type !== "turn.ended"));
      const after = closingInTurn.reduce((current, event) => advance(current, event).ledger, ledger);
      expect(openTurn(after)).toBe(openTurn(ledger));
      expect(isOpen(after, "tool") || isOpen(after, "decision")).toBe(false);
    }),
  );
});

test("closes innermost scopes first, as the runtime, with the name of the opening event", () => {
  const { ledger } = acceptLawful([
    started,
    { type: "turn.started", turn: "1", input: "do", origin: "user" },
    { type: "tool.requested", call: "a", name: "Bash", input: {} },
    { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" },
  ]);
  expect(closingEvents(ledger, "session", { turn: "failed", tool: "unfinished", message: null })).toEqual([
    { type: "tool.ended", call: "a", name: "Bash", ok: false, output: "", reason: "unfinished" },
    { type: "decision.resolved", decision: "d", outcome: "canceled", by: { kind: "runtime" } },
    { type: "turn.ended", turn: "1", outcome: "failed" },
  ]);
  expect(closingEvents(ledger, "turn", { turn: "completed", tool: undefined, message: null })[0]).toStrictEqual({
    type: "tool.ended",
    call: "a",
    name: "Bash",
    ok: false,
    output: "",
  });
});

test("a text that ends in parts is closed by an empty last part, with the next number and the parent", () => {
  const { ledger } = acceptLawful([
    started,
    { type: "turn.started", turn: "1", input: "do", origin: "user" },
    { type: "reasoning.ended", text: "hm", part: 1 },
    { type: "text.ended", text: "hel", part: 1, parent: "c" },
    { type: "text.ended", text: "lo", part: 2, parent: "c" },
  ]);
  const closing = closingEvents(ledger, "turn", { turn: "failed", tool: "unfinished", message: null });
  expect(closing).toEqual([
    { type: "text.ended", text: "", part: 3, last: true, parent: "c" },
    { type: "reasoning.ended", text: "", part: 2, last: true },
  ]);
  const after = closing.reduce((current, event) => advance(current, event).ledger, ledger);
  expect(isOpen(after, "text") || isOpen(after, "reasoning")).toBe(false);
});

test("queued messages are returned with their text, or kept", () => {
  const { ledger } = acceptLawful([
    started,
    { type: "message.queued", turn: "1", text: "do" },
    { type: "message.queued", turn: "2", text: "and do" },
  ]);
  const outcomes = { turn: "failed", tool: "unfinished" } as const;
  expect(closingEvents(ledger, "session", { ...outcomes, message: null })).toEqual([]);
  expect(closingEvents(ledger, "session", { ...outcomes, message: "stopped" })).toEqual([
    { type: "message.returned", turn: "1", text: "do", reason: "stopped" },
    { type: "message.returned", turn: "2", text: "and do", reason: "stopped" },
  ]);
});

test("a pause lapses with the session and needs no closing event", () => {
  const { ledger } = acceptLawful([started, { type: "session.paused", reason: "asked" }]);
  expect(isOpen(ledger, "pause")).toBe(true);
  expect(closingEvents(ledger, "session", { turn: "failed", tool: "unfinished", message: "ended" })).toEqual([]);
  expect(advance(ledger, ended).ledger).toEqual({ ...emptyLedger, over: true });
});

const threeEvents = journalOf([
  started,
  { type: "turn.started", turn: "1", input: "do", origin: "user" },
  { type: "text.ended", text: "hello" },
]);
const last = threeEvents.length - 1;
const withChange = (at: number, change: Partial<Event>): Event[] =>
  threeEvents.map((event, index) => (index === at ? { ...event, ...change } : event));

test.each<[string, Event[], { sequence: number; message: string }[]]>([
  [
    "skips a sequence number",
    withChange(last, { sequence: 4 }),
    [{ sequence: 4, message: "the sequence is not dense from 1" }],
  ],
  [
    "repeats a sequence number",
    withChange(last, { sequence: 2 }),
    [{ sequence: 2, message: "the sequence is not dense from 1" }],
  ],
  ["changes the session", withChange(last, { session: "x" }), [{ sequence: 3, message: "the session changes" }]],
  [
    "decreases the spool position",
    withChange(last, { spool: 1 }),
    [{ sequence: 3, message: "the spool position decreases" }],
  ],
  ["repeats an id", withChange(last, { id: "s/2.0" }), [{ sequence: 3, message: "an id is used twice" }]],
  [
    "decreases the epoch",
    withChange(1, { epoch: 3 }).with(last, { ...(threeEvents[last] as Event), epoch: 2 }),
    [{ sequence: 3, message: "the epoch decreases" }],
  ],
  [
    "names no turn while one is open",
    withChange(last, { turn: null }),
    [{ sequence: 3, message: "the envelope names turn null while 1 is open" }],
  ],
  [
    "starts a turn but names none in the envelope",
    withChange(1, { turn: null }),
    [{ sequence: 2, message: "the envelope names turn null while 1 is open" }],
  ],
  [
    "names a turn before one is open",
    withChange(0, { turn: "1" }),
    [{ sequence: 1, message: "the envelope names turn 1 while null is open" }],
  ],
])("reports an envelope that %s", (_, journal, violations) => {
  expect(findViolations(journal)).toEqual(violations);
});

test("accepts a later epoch and a repeated spool record", () => {
  expect(findViolations(withChange(last, { epoch: 2, spool: 2 }))).toEqual([]);
});

test("reports a journal whose beginning is missing", () => {
  expect(findViolations(threeEvents.slice(1))[0]).toEqual({
    sequence: 2,
    message: "turn.started without an open session",
  });
  expect(findViolations(threeEvents.slice(1)).map(({ message }) => message)).toContain(
    "the sequence is not dense from 1",
  );
});

test("requires the end of the session only of a complete journal", () => {
  const missingEnd = (sequence: number) => [{ sequence, message: "the session has not ended" }];
  expect(findViolations([])).toEqual([]);
  expect(findViolations([], { complete: true })).toEqual(missingEnd(0));
  expect(findViolations(threeEvents, { complete: true })).toEqual(missingEnd(3));
  expect(findViolations(journalOf([started, ended]), { complete: true })).toEqual([]);
});
