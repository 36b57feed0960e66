import { describe, expect, test } from "vitest";
import type { AgentEvent, AgentEventType } from "../agent-event.ts";
import { law, scopes, type Scope } from "./law.ts";
import { advance, emptyLedger } from "./ledger.ts";

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
const over: AgentEvent = { type: "session.ended", reason: "stopped", exit: null };
const paused: AgentEvent = { type: "session.paused", reason: "asked" };
const resumed: AgentEvent = { type: "session.resumed", outcome: "native", agentSessionId: "n" };
const changed: AgentEvent = { type: "session.changed", model: "m" };
const taken: AgentEvent = { type: "lead.changed", lead: "human" };
const returned: AgentEvent = { type: "lead.changed", lead: "agent" };
const text: AgentEvent = { type: "text.ended", text: "hello" };
const reasoning: AgentEvent = { type: "reasoning.ended", text: "hm" };
const plan: AgentEvent = { type: "plan.updated", steps: [] };
const steering: AgentEvent = { type: "turn.steered", turn: "t", text: "rather" };
const injected: AgentEvent = { type: "context.injected", text: "by the way" };
const compacted: AgentEvent = { type: "context.compacted", trigger: "asked" };
const status: AgentEvent = { type: "status.reported", level: "info", message: "so" };
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
const turn = (name: string): AgentEvent => ({ type: "turn.started", turn: name, input: "do", origin: "user" });
const turnEnd = (name: string): AgentEvent => ({ type: "turn.ended", turn: name, outcome: "completed" });
const tool = (call: string): AgentEvent => ({ type: "tool.requested", call, name: "Bash", input: {} });
const run = (call: string): AgentEvent => ({ type: "tool.started", call });
const progress = (call: string): AgentEvent => ({ type: "tool.progressed", call, output: "." });
const toolEnd = (call: string): AgentEvent => ({ type: "tool.ended", call, name: "Bash", ok: true, output: "" });
const file = (call: string): AgentEvent => ({ type: "file.changed", path: "a", change: "created", call });
const ask = (decision: string): AgentEvent => ({
  type: "decision.requested",
  decision,
  kind: "approval",
  title: "May I?",
  // An approval is about a call; that it names one does not put it inside the call.
  call: "no such call",
});
const answer = (decision: string): AgentEvent => ({
  type: "decision.resolved",
  decision,
  outcome: "allowed",
  by: "user",
});

/** A history, and what the law says against its last event. */
type Case = readonly [events: readonly AgentEvent[], says: string | null];

const inTurn = [session, turn("t")];
const cases: readonly Case[] = [
  [[session], null],
  [[session, session], "session.started while session is open already"],
  [[session, over, session], "session.started after session.ended"],
  [[over], "session.ended without an open session"],
  [[session, over, over], "session.ended after session.ended"],
  [[...inTurn, over], "session.ended while turn t is still open"],
  [[session, paused, over], null],

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

  [[taken], "lead.changed without an open session"],
  [[session, taken], null],
  [[session, taken, taken], "lead.changed while lead is open already"],
  [[...inTurn, taken], "lead.changed while a turn is open"],
  [[session, taken, turn("t")], "turn.started while a lead is open"],
  [[session, taken, paused], "session.paused while a lead is open"],
  [[session, taken, resumed], "session.resumed while a lead is open"],
  [[session, taken, over], null],
  [[session, returned], "lead.changed without an open lead"],
  [[session, taken, returned, turn("t")], null],
  [[session, taken, returned, taken], null],
  // Whoever takes over a paused session ends the pause.
  [[session, paused, taken, returned, turn("t")], null],

  [[turn("t")], "turn.started without an open session"],
  [[session, paused, turn("t")], "turn.started while a pause is open"],
  [[...inTurn, turn("t")], "turn.started while turn t is open already"],
  [[...inTurn, turn("u")], "turn.started while turn u is open already"],
  [[...inTurn, turnEnd("t"), turn("t")], null],
  [[...inTurn, steering], null],
  [[session, steering], "turn.steered without an open turn t"],
  [[session, turnEnd("t")], "turn.ended without an open turn t"],
  [[...inTurn, turnEnd("u")], "turn.ended without an open turn u"],
  [[...inTurn, tool("c"), turnEnd("t")], "turn.ended while tool c is still open"],
  [[...inTurn, ask("d"), turnEnd("t")], "turn.ended while decision d is still open"],

  ...[text, reasoning, plan, tool("c"), ask("d"), file("no such call")].flatMap((event): Case[] => [
    [[...inTurn, event], null],
    [[session, event], `${event.type} without an open turn`],
    [[...inTurn, turnEnd("t"), event], `${event.type} without an open turn`],
  ]),
  ...[injected, compacted, usage, status, error, unrecognized].flatMap((event): Case[] => [
    [[event], `${event.type} without an open session`],
    [[session, event], null],
    [[session, paused, event], null],
    [[...inTurn, event, event], null],
    [[session, over, event], `${event.type} after session.ended`],
  ]),

  [[...inTurn, tool("c"), tool("d"), toolEnd("c"), toolEnd("d"), turnEnd("t")], null],
  [[...inTurn, tool("c"), tool("c")], "tool.requested while tool c is open already"],
  [[...inTurn, tool("c"), toolEnd("c"), tool("c")], null],
  [[...inTurn, tool("c"), run("c")], null],
  [[...inTurn, tool("c"), run("d")], "tool.started without an open tool d"],
  [[...inTurn, tool("c"), run("c"), run("c")], "a second tool.started for tool c"],
  [[...inTurn, tool("c"), tool("d"), run("c"), run("d")], null],
  [[...inTurn, tool("c"), run("c"), toolEnd("c"), tool("c"), run("c")], null],
  [[...inTurn, tool("c"), progress("c"), progress("c")], null],
  [[...inTurn, tool("c"), progress("d")], "tool.progressed without an open tool d"],
  [[...inTurn, tool("c"), toolEnd("c"), toolEnd("c")], "tool.ended without an open tool c"],
  [[...inTurn, tool("c"), toolEnd("d")], "tool.ended without an open tool d"],

  [[...inTurn, ask("d"), ask("e"), answer("e"), answer("d"), turnEnd("t")], null],
  [[...inTurn, ask("d"), ask("d")], "decision.requested while decision d is open already"],
  [[...inTurn, ask("d"), answer("d"), answer("d")], "decision.resolved without an open decision d"],
  [[...inTurn, ask("d"), answer("e")], "decision.resolved without an open decision e"],
  // A name is a name within its own scope only.
  [[...inTurn, tool("x"), ask("x"), answer("x"), toolEnd("x"), turnEnd("t"), over], null],
];

/** What the law says against the last of some events; the others must be lawful, or the case is not about the last. */
function saysOfTheLast(events: readonly AgentEvent[]): string | null {
  let ledger = emptyLedger;
  let says: string | null = null;
  for (const event of events) {
    if (says !== null) return `too early: ${says}`;
    ({ ledger, violation: says } = advance(ledger, event));
  }
  return ledger.over && ledger.open.length > 0 ? "it is over and something is open" : says;
}

const redCases = (): readonly Case[] => cases.filter(([events, says]) => saysOfTheLast(events) !== says);

const told = ([events, says]: Case): string => `${events.map(({ type }) => type).join(", ")}: ${says ?? "lawful"}`;

test.each(cases.map((one) => [told(one), ...one] as const))("%s", (_, events, says) => {
  expect(saysOfTheLast(events)).toBe(says);
});

/** Each of these leaves the scopes table saying the same: where there is no name, at most one can be open anyway. */
const saysNothing = new Set(["session.single", "pause.single", "lead.single", "session.lapses"]);

describe("every entry of the tables has a case that goes red without it:", () => {
  const rules = Object.entries(law) as [AgentEventType, Record<string, unknown>][];
  test.each(rules.flatMap(([type, rule]) => Object.keys(rule).map((part) => [type, part, rule] as const)))(
    "%s, %s",
    (_, part, rule) => expect(redWithout(rule, part)).not.toEqual([]),
  );

  const stretches = Object.entries<object>(scopes) as [Scope, Record<string, unknown>][];
  test.each(
    stretches
      .flatMap(([scope, rule]) => Object.keys(rule).map((part) => [scope, part, rule] as const))
      .filter(([scope, part, rule]) => rule[part] !== null && !saysNothing.has(`${scope}.${part}`)),
  )("the scope %s, %s", (_, part, rule) => expect(redWithout(rule, part)).not.toEqual([]));
});

/** The cases that go red while one entry of a table says the opposite, or nothing. */
function redWithout(rule: Record<string, unknown>, part: string): readonly Case[] {
  const meant = rule[part];
  rule[part] = typeof meant === "boolean" ? !meant : undefined;
  // A scope without a key says so with null.
  if (part === "key") rule[part] = null;
  try {
    return redCases();
  } finally {
    rule[part] = meant;
  }
}

test("an unlawful event leaves the ledger as it was, and a lawful one leaves the old ledger as it was", () => {
  const { ledger: before } = advance(emptyLedger, session);
  const copy = structuredClone(before);
  expect(advance(before, turnEnd("t")).ledger).toBe(before);
  expect(advance(before, turn("t")).ledger).not.toBe(before);
  expect(before).toEqual(copy);
});

test("what is open is remembered with the name it was given, and only the call that started is marked", () => {
  const events = [...inTurn, tool("c"), tool("d"), run("c")];
  const ledger = events.reduce((sofar, event) => advance(sofar, event).ledger, emptyLedger);
  expect(ledger).toEqual({
    over: false,
    open: [
      { scope: "session", key: "", name: "", marks: [] },
      { scope: "turn", key: "t", name: "", marks: [] },
      { scope: "tool", key: "c", name: "Bash", marks: ["tool.started"] },
      { scope: "tool", key: "d", name: "Bash", marks: [] },
    ],
  });
});
