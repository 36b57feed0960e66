import { describe, expect, test } from "vitest";
import type { AgentEvent, AgentEventType } from "../agent-event.ts";
import { law, lawScopes, type LawScope } from "./law.ts";
import { advance, emptyLedger, openScopes, upgradeLedger } from "./ledger.ts";

const session: AgentEvent = {
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
const sessionEnded: AgentEvent = { type: "session.ended", reason: "stopped", exit: null };
const paused: AgentEvent = { type: "session.paused", reason: "asked" };
const unpaused: AgentEvent = { type: "session.unpaused" };
const resumed: AgentEvent = { type: "session.resumed", outcome: "native", agentSessionId: "n" };
const changed: AgentEvent = { type: "session.changed", model: "m" };
const leadTaken: AgentEvent = { type: "lead.changed", lead: "human" };
const leadDelegated: AgentEvent = { type: "lead.changed", lead: "delegated" };
const leadReturned: AgentEvent = { type: "lead.changed", lead: "agent" };
const text: AgentEvent = { type: "text.ended", text: "hello" };
const reasoning: AgentEvent = { type: "reasoning.ended", text: "hm" };
const plan: AgentEvent = { type: "plan.updated", steps: [] };
const steered: AgentEvent = { type: "turn.steered", turn: "t", text: "rather" };
const briefed: AgentEvent = {
  type: "brief.updated",
  brief: { title: "Fix it", goal: "It works.", constraints: [], acceptance: [] },
};
const injected: AgentEvent = { type: "context.injected", text: "by the way" };
const compacted: AgentEvent = { type: "context.compacted", trigger: "asked" };
const reported: AgentEvent = { type: "progress.reported", text: "half of it" };
const artifact: AgentEvent = { type: "artifact.produced", path: "a.md", kind: "document", bytes: 1 };
const status: AgentEvent = { type: "status.reported", level: "info", message: "so" };
const judged: AgentEvent = {
  type: "network.judged",
  host: "a.org",
  port: 443,
  verdict: "refused",
  rule: "unlisted",
  enforcedBy: "gate",
};
const error: AgentEvent = { type: "error.raised", category: "unknown", message: "oh" };
const unrecognized: AgentEvent = { type: "unrecognized", reason: "why", raw: "?" };
const tokens = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
const usage: AgentEvent = {
  type: "usage.reported",
  provider: "p",
  model: "m",
  tokens,
  cost: null,
  provenance: "reported",
};
const quota: AgentEvent = { type: "quota.reported", status: "warning" };
const turn = (name: string): AgentEvent => ({ type: "turn.started", turn: name, input: "do", origin: "user" });
const terminalTurn = (name: string): AgentEvent => ({
  type: "turn.started",
  turn: name,
  input: "do",
  origin: "terminal",
  source: "transcript",
});
const turnEnd = (name: string): AgentEvent => ({ type: "turn.ended", turn: name, outcome: "completed" });
const queued = (turn: string): AgentEvent => ({ type: "message.queued", turn, text: "do" });
const returned = (turn: string): AgentEvent => ({ type: "message.returned", turn, text: "do", reason: "stopped" });
const tool = (call: string): AgentEvent => ({ type: "tool.requested", call, name: "Bash", input: {} });
const toolStart = (call: string): AgentEvent => ({ type: "tool.started", call });
const progress = (call: string): AgentEvent => ({ type: "tool.progressed", call, output: "." });
const toolEnd = (call: string): AgentEvent => ({ type: "tool.ended", call, name: "Bash", ok: true, output: "" });
const file = (call: string): AgentEvent => ({ type: "file.changed", path: "a", change: "created", call });
const observed: AgentEvent = { type: "file.changed", path: "a", change: "created", source: "observed" };
const decisionRequest = (decision: string): AgentEvent => ({
  type: "decision.requested",
  decision,
  kind: "approval",
  title: "May I?",
  // An approval refers to a call, but its scope is the turn, not the call.
  call: "no such call",
});
const decisionAnswer = (decision: string): AgentEvent => ({
  type: "decision.resolved",
  decision,
  outcome: "allowed",
  by: { kind: "person" },
});

/** A history, and the violation of its last event. */
type Case = readonly [events: readonly AgentEvent[], violation: string | null];

const inTurn = [session, turn("t")];
const cases: readonly Case[] = [
  [[session], null],
  [[session, session], "session.started while session is open already"],
  [[session, sessionEnded, session], "session.started after session.ended"],
  [[sessionEnded], "session.ended without an open session"],
  [[session, sessionEnded, sessionEnded], "session.ended after session.ended"],
  [[...inTurn, sessionEnded], "session.ended while turn t is still open"],
  [[session, paused, sessionEnded], null],

  [[session, changed], null],
  [[changed], "session.changed without an open session"],
  [[paused], "session.paused without an open session"],
  [[...inTurn, paused], "session.paused while a turn is open"],
  [[session, paused, paused], "session.paused while pause is open already"],
  [[resumed], "session.resumed without an open session"],
  [[session, resumed], null],
  [[...inTurn, resumed], "session.resumed while a turn is open"],
  [[session, paused, resumed, turn("t")], null],
  [[session, paused, resumed, paused], null],
  [[unpaused], "session.unpaused without an open pause"],
  [[session, unpaused], "session.unpaused without an open pause"],
  [[session, paused, unpaused, turn("t")], null],
  [[session, paused, unpaused, resumed], null],
  [[session, paused, unpaused, unpaused], "session.unpaused without an open pause"],

  [[leadTaken], "lead.changed without an open session"],
  [[session, leadTaken], null],
  [[session, leadTaken, leadTaken], "lead.changed while lead is open already"],
  [[...inTurn, leadTaken], "lead.changed while a turn is open"],
  [[session, leadDelegated, leadTaken, leadReturned], null],
  [[leadDelegated], "lead.changed without an open session"],
  [[...inTurn, leadDelegated], "lead.changed while a turn is open"],
  [[session, leadTaken, leadDelegated], "lead.changed while a lead is open"],
  [[session, leadTaken, turn("t")], "turn.started while a lead is open"],
  [[session, leadTaken, paused], "session.paused while a lead is open"],
  [[session, leadTaken, resumed], "session.resumed while a lead is open"],
  [[session, leadTaken, sessionEnded], null],
  [[session, leadReturned], "lead.changed without an open lead"],
  [[session, leadTaken, leadReturned, turn("t")], null],
  [[session, leadTaken, leadReturned, leadTaken], null],
  // A take-over ends the pause.
  [[session, paused, leadTaken, leadReturned, turn("t")], null],

  // What Fairlead observes may be from before, between and after turns.
  [[session, observed], null],
  [[...inTurn, observed], null],
  [[session, paused, observed], null],
  [[observed], "file.changed without an open session"],
  [[session, sessionEnded, observed], "file.changed after session.ended"],

  [[session, terminalTurn("t")], "turn.started without an open lead"],
  [[session, leadTaken, leadReturned, terminalTurn("t")], "turn.started without an open lead"],
  [[session, leadTaken, terminalTurn("t"), text, turnEnd("t"), terminalTurn("u"), turnEnd("u"), leadReturned], null],
  [[session, leadTaken, terminalTurn("t"), terminalTurn("u")], "turn.started while turn u is open already"],
  [[session, leadTaken, terminalTurn("t"), leadReturned], "lead.changed while a turn is open"],
  [[session, leadTaken, terminalTurn("t"), sessionEnded], "session.ended while turn t is still open"],

  [[turn("t")], "turn.started without an open session"],
  [[session, paused, turn("t")], "turn.started while a pause is open"],
  [[...inTurn, turn("t")], "turn.started while turn t is open already"],
  [[...inTurn, turn("u")], "turn.started while turn u is open already"],
  [[...inTurn, turnEnd("t"), turn("t")], null],
  [[...inTurn, steered], null],
  [[session, steered], "turn.steered without an open turn t"],
  [[session, turnEnd("t")], "turn.ended without an open turn t"],
  [[...inTurn, turnEnd("u")], "turn.ended without an open turn u"],
  [[...inTurn, tool("c"), turnEnd("t")], "turn.ended while tool c is still open"],
  [[...inTurn, decisionRequest("d"), turnEnd("t")], "turn.ended while decision d is still open"],

  [[queued("t")], "message.queued without an open session"],
  [[session, queued("t"), queued("u")], null],
  [[session, queued("t"), queued("t")], "message.queued while message t is open already"],
  [[session, paused, queued("t")], null],
  [[...inTurn, queued("u"), turnEnd("t"), paused], null],
  [[session, queued("t"), turn("t"), turnEnd("t"), sessionEnded], null],
  [[session, queued("t"), returned("t"), sessionEnded], null],
  [[session, queued("t"), turn("t"), returned("t")], "message.returned without an open message t"],
  [[session, queued("t"), returned("t"), returned("t")], "message.returned without an open message t"],
  [[session, queued("t"), returned("u")], "message.returned without an open message u"],
  [[session, queued("t"), turn("u"), returned("t")], null],
  [[session, queued("t"), sessionEnded], "session.ended while message t is still open"],
  [[session, queued("t"), queued("u"), returned("t"), sessionEnded], "session.ended while message u is still open"],

  ...[text, reasoning, plan, reported, artifact, tool("c"), decisionRequest("d"), file("no such call")].flatMap(
    (event): Case[] => [
      [[...inTurn, event], null],
      [[session, event], `${event.type} without an open turn`],
      [[...inTurn, turnEnd("t"), event], `${event.type} without an open turn`],
    ],
  ),
  ...[injected, briefed, compacted, usage, quota, status, judged, error, unrecognized].flatMap((event): Case[] => [
    [[event], `${event.type} without an open session`],
    [[session, event], null],
    [[session, paused, event], null],
    [[...inTurn, event, event], null],
    [[session, sessionEnded, event], `${event.type} after session.ended`],
  ]),

  ...(["text", "reasoning"] as const).flatMap((kind): Case[] => {
    const part = (number: number, more: { last?: true; parent?: string } = {}): AgentEvent => ({
      type: `${kind}.ended`,
      text: "hello",
      part: number,
      ...more,
    });
    const whole: AgentEvent = { type: `${kind}.ended`, text: "hello" };
    const notNext = `${kind}.ended is not the next part of the open text`;
    return [
      [[...inTurn, part(1), status, part(2), tool("c"), part(3, { last: true }), whole, part(1)], null],
      [[...inTurn, part(1), part(2, { last: true }), toolEnd("c")], "tool.ended without an open tool c"],
      [[session, part(1)], `${kind}.ended without an open turn`],
      [[...inTurn, part(1), part(1)], `${kind}.ended while ${kind} is open already`],
      [[...inTurn, part(2)], `${kind}.ended without an open ${kind}`],
      [[...inTurn, part(1), part(3)], notNext],
      [[...inTurn, part(1), part(2), part(2)], notNext],
      [[...inTurn, part(1), part(2), part(4, { last: true })], notNext],
      [[...inTurn, part(1, { parent: "c" }), part(2, { parent: "c" })], null],
      [[...inTurn, part(1, { parent: "c" }), part(2)], notNext],
      [[...inTurn, part(1, { last: true })], `${kind}.ended without an open ${kind}`],
      [[...inTurn, part(1), whole], `${kind}.ended while a ${kind} is open`],
      [[...inTurn, part(1), turnEnd("t")], `turn.ended while ${kind} is still open`],
      [[...inTurn, part(1), part(2, { last: true }), turnEnd("t")], null],
    ];
  }),

  [[...inTurn, tool("c"), tool("d"), toolEnd("c"), toolEnd("d"), turnEnd("t")], null],
  [[...inTurn, tool("c"), tool("c")], "tool.requested while tool c is open already"],
  [[...inTurn, tool("c"), toolEnd("c"), tool("c")], null],
  [[...inTurn, tool("c"), toolStart("c")], null],
  [[...inTurn, tool("c"), toolStart("d")], "tool.started without an open tool d"],
  [[...inTurn, tool("c"), toolStart("c"), toolStart("c")], "a second tool.started for tool c"],
  [[...inTurn, tool("c"), tool("d"), toolStart("c"), toolStart("d")], null],
  [[...inTurn, tool("c"), toolStart("c"), toolEnd("c"), tool("c"), toolStart("c")], null],
  [[...inTurn, tool("c"), progress("c"), progress("c")], null],
  [[...inTurn, tool("c"), progress("d")], "tool.progressed without an open tool d"],
  [[...inTurn, tool("c"), toolEnd("c"), toolEnd("c")], "tool.ended without an open tool c"],
  [[...inTurn, tool("c"), toolEnd("d")], "tool.ended without an open tool d"],

  [
    [...inTurn, decisionRequest("d"), decisionRequest("e"), decisionAnswer("e"), decisionAnswer("d"), turnEnd("t")],
    null,
  ],
  [[...inTurn, decisionRequest("d"), decisionRequest("d")], "decision.requested while decision d is open already"],
  [
    [...inTurn, decisionRequest("d"), decisionAnswer("d"), decisionAnswer("d")],
    "decision.resolved without an open decision d",
  ],
  [[...inTurn, decisionRequest("d"), decisionAnswer("e")], "decision.resolved without an open decision e"],
  // A key is unique within its own scope type only.
  [[...inTurn, tool("x"), decisionRequest("x"), decisionAnswer("x"), toolEnd("x"), turnEnd("t"), sessionEnded], null],
];

/** Returns the violation of the last event. The earlier events must be lawful, else the case tests the wrong event. */
function violationOfLast(events: readonly AgentEvent[]): string | null {
  let ledger = emptyLedger;
  let violation: string | null = null;
  for (const event of events) {
    if (violation !== null) return `violation before the last event: ${violation}`;
    ({ ledger, violation } = advance(ledger, event));
  }
  return ledger.over && ledger.open.length > 0 ? "the session has ended, but a scope is open" : violation;
}

const failingCases = (): readonly Case[] =>
  cases.filter(([events, violation]) => violationOfLast(events) !== violation);

const describeCase = ([events, violation]: Case): string =>
  `${events.map(({ type }) => type).join(", ")}: ${violation ?? "lawful"}`;

test.each(cases.map((one) => [describeCase(one), ...one] as const))("%s", (_, events, violation) => {
  expect(violationOfLast(events)).toBe(violation);
});

/** Entries without an effect: of a scope without a key, at most one can be open anyway. */
const redundantEntries = new Set([
  "session.single",
  "pause.single",
  "lead.single",
  "text.single",
  "reasoning.single",
  "session.lapses",
]);

describe("at least one case fails without the table entry", () => {
  const rules = Object.entries(law) as [AgentEventType, Record<string, unknown>][];
  test.each(rules.flatMap(([type, rule]) => Object.keys(rule).map((part) => [type, part, rule] as const)))(
    "%s, %s",
    (_, part, rule) => expect(failingCasesWithout(rule, part)).not.toEqual([]),
  );

  const scopeRules = Object.entries<object>(lawScopes) as [LawScope, Record<string, unknown>][];
  test.each(
    scopeRules
      .flatMap(([scope, rule]) => Object.keys(rule).map((part) => [scope, part, rule] as const))
      .filter(([scope, part, rule]) => rule[part] !== null && !redundantEntries.has(`${scope}.${part}`)),
  )("the scope %s, %s", (_, part, rule) => expect(failingCasesWithout(rule, part)).not.toEqual([]));
});

/** Returns the cases that fail while one entry of a table is negated or removed. */
function failingCasesWithout(rule: Record<string, unknown>, part: string): readonly Case[] {
  const original = rule[part];
  rule[part] = typeof original === "boolean" ? !original : undefined;
  // The value for a scope without a key is null, not undefined.
  if (part === "key") rule[part] = null;
  try {
    return failingCases();
  } finally {
    rule[part] = original;
  }
}

test("advance returns the same ledger for an unlawful event and does not modify its input", () => {
  const { ledger: before } = advance(emptyLedger, session);
  const copy = structuredClone(before);
  expect(advance(before, turnEnd("t")).ledger).toBe(before);
  expect(advance(before, turn("t")).ledger).not.toBe(before);
  expect(before).toEqual(copy);
});

test("an open scope keeps the name of its opening event, and only the started call is marked", () => {
  const events = [...inTurn, tool("c"), tool("d"), toolStart("c")];
  const ledger = events.reduce((current, event) => advance(current, event).ledger, emptyLedger);
  expect(openScopes(ledger, "session")).toEqual([{ scope: "session", key: "", name: "", marks: [] }]);
  expect(openScopes(ledger, "turn")).toEqual([{ scope: "turn", key: "t", name: "", marks: [] }]);
  expect(openScopes(ledger, "tool")).toEqual([
    { scope: "tool", key: "c", name: "Bash", marks: ["tool.started"] },
    { scope: "tool", key: "d", name: "Bash", marks: [] },
  ]);
});

test("a ledger of an older version, which has all open scopes in one list, is upgraded", () => {
  const events = [...inTurn, tool("c"), tool("d"), toolStart("c")];
  const ledger = events.reduce((current, event) => advance(current, event).ledger, emptyLedger);
  const stored = {
    over: false,
    open: (["session", "turn", "tool"] as const).flatMap((one) => openScopes(ledger, one)),
  };
  expect(upgradeLedger(stored)).toEqual(ledger);
  expect(upgradeLedger(ledger)).toBe(ledger);
});
