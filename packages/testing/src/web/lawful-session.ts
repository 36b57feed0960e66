import { advance, type AgentEvent, emptyLedger, type Event, openTurn, type Ledger } from "@fairlead/contract";
import fc from "fast-check";

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

const call = fc.constantFrom("a", "b", "c");
const turn = fc.constantFrom("1", "2", "3");
const decision = fc.constantFrom("x", "y");
const parent = fc.constantFrom(undefined, undefined, "a");
const words = fc.constantFrom("one ", "two\n\n", "three ", "`four`");

const bodies: fc.Arbitrary<AgentEvent>[] = [
  turn.map((turn) => ({ type: "turn.started", turn, input: `do ${turn}`, origin: "user" })),
  turn.map((turn) => ({ type: "turn.ended", turn, outcome: "completed" })),
  turn.map((turn) => ({ type: "turn.steered", turn, text: "rather so" })),
  turn.map((turn) => ({ type: "message.queued", turn, text: `do ${turn}` })),
  turn.map((turn) => ({ type: "message.returned", turn, text: `do ${turn}`, reason: "stopped" })),
  fc.record({ call, kind: fc.constantFrom("read", "search", "run", "edit"), parent }).map(({ call, kind, parent }) => ({
    type: "tool.requested",
    call,
    name: kind,
    input: { call },
    action: { kind },
    ...(parent !== undefined && { parent }),
  })),
  call.map((call) => ({ type: "tool.started", call })),
  fc.record({ call, output: words }).map((fields) => ({ type: "tool.progressed", ...fields })),
  fc.record({ call, ok: fc.boolean() }).map((fields) => ({ type: "tool.ended", name: "t", output: "end", ...fields })),
  call.map((call) => ({ type: "file.changed", path: `of ${call}`, change: "modified", call })),
  words.map((path) => ({ type: "file.changed", path, change: "created", source: "observed" })),
  fc.record({ decision, call: fc.option(call) }).map(({ decision, call }) => ({
    type: "decision.requested",
    decision,
    kind: "approval",
    title: "May I?",
    ...(call !== null && { call }),
  })),
  fc.record({ decision, isAllowed: fc.boolean() }).map(({ decision, isAllowed }) => ({
    type: "decision.resolved",
    decision,
    by: { kind: "person" },
    ...(isAllowed ? { outcome: "allowed", input: { edited: true } } : { outcome: "denied" }),
  })),
  fc
    .record({ kind: fc.constantFrom("text", "reasoning"), text: words, parent })
    .map(({ kind, text, parent }) => ({ type: `${kind}.ended`, text, ...(parent !== undefined && { parent }) })),
  fc
    .record({ kind: fc.constantFrom("text", "reasoning"), text: words, part: fc.integer({ min: 1, max: 3 }) })
    .map(({ kind, text, part }) => ({ type: `${kind}.ended`, text, part, ...(part === 3 && { last: true as const }) })),
  fc.constant({ type: "plan.updated", steps: [{ text: "a", state: "active" }] }),
  words.map((text) => ({ type: "context.injected", text })),
  words.map((message) => ({ type: "status.reported", level: "info", message })),
  words.map((message) => ({ type: "error.raised", category: "unknown", message })),
  words.map((raw) => ({ type: "unrecognized", reason: "no rule", raw })),
  fc.constant({ type: "session.changed", model: "m" }),
  fc.constant({ type: "session.changed", agentSessionId: "n" }),
  fc.constant({ type: "session.paused", reason: "idle" }),
  fc.constant({ type: "session.resumed", outcome: "native", agentSessionId: "n" }),
  fc.constant({ type: "lead.changed", lead: "human" }),
  fc.constant({ type: "lead.changed", lead: "agent" }),
];

/** The events of a random session that the law allows, with few keys, so that one key is used repeatedly. */
export function lawfulSession({ maxLength = 400 }: { readonly maxLength?: number } = {}): fc.Arbitrary<Event[]> {
  return fc.array(fc.oneof(...bodies), { maxLength, size: "max" }).map((candidates) => toJournal(candidates));
}

/** Writes the lawful ones of some events into a journal. */
export function toJournal(candidates: readonly AgentEvent[]): Event[] {
  const events: Event[] = [];
  let ledger: Ledger = emptyLedger;
  for (const body of [started, ...candidates]) {
    const turn = body.type === "turn.started" ? body.turn : openTurn(ledger);
    const result = advance(ledger, body);
    if (result.violation !== null) continue;
    ({ ledger } = result);
    const sequence = events.length + 1;
    events.push({
      id: `s/${sequence}.0`,
      session: "s",
      sequence,
      epoch: 1,
      turn,
      occurredAt: new Date(1_800_000_000_000 + sequence * 1000).toISOString(),
      agent: "made-up",
      model: null,
      spool: sequence,
      synthetic: false,
      body,
    });
  }
  return events;
}
