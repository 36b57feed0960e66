import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent, EventOf } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { addTokenCounts, zeroTokenCounts } from "../events/report.ts";
import { advance, emptyLedger, isOpen, openTurn } from "../law/ledger.ts";
import { addToOutline, emptyTurnOutline, TurnSummary, type TurnOutline } from "./turn-outline.ts";

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
const tokens = { ...zeroTokenCounts, uncached: 3, output: 2 };
const usage = (amount: number | null): AgentEvent => ({
  type: "usage.reported",
  provider: "p",
  model: "m",
  tokens,
  cost: amount === null ? null : { amount, currency: "USD" },
  provenance: "reported",
});
const turnStarted = (turn: string, input = "do"): AgentEvent => ({ type: "turn.started", turn, input, origin: "user" });
const turnEnded = (turn: string): AgentEvent => ({ type: "turn.ended", turn, outcome: "completed" });
const requested = (decision: string): AgentEvent => ({
  type: "decision.requested",
  decision,
  kind: "approval",
  title: "May I?",
});
const resolved = (decision: string): AgentEvent => ({
  type: "decision.resolved",
  decision,
  outcome: "allowed",
  by: { kind: "person" },
});
const changed = (path: string): AgentEvent => ({ type: "file.changed", path, change: "modified" });

const endReasons = ["failed", "denied", "interrupted", "unfinished"] as const;
const toolEnded = (call: string, end: "ok" | (typeof endReasons)[number] | undefined): AgentEvent => ({
  type: "tool.ended",
  call,
  name: "run",
  output: "",
  ok: end === "ok",
  ...(end !== "ok" && end !== undefined && { reason: end }),
});

/** Events with few keys, so that a random history uses the same key repeatedly. */
const anyBody = fc
  .record({ key: fc.constantFrom("a", "b"), end: fc.constantFrom("ok", undefined, ...endReasons) })
  .chain(({ key, end }) =>
    fc.constantFrom<AgentEvent>(
      turnStarted(key),
      turnStarted(key),
      turnEnded(key),
      turnEnded(key),
      { type: "tool.requested", call: key, name: "run", input: {} },
      toolEnded(key, end),
      requested(key),
      resolved(key),
      changed(key),
      changed(`/w/${key}`),
      { type: "file.changed", path: key, change: "created", source: "observed" },
      usage(end === "ok" ? 0.5 : null),
      { type: "text.ended", text: "hello" },
      { type: "session.paused", reason: "idle" },
      { type: "session.unpaused" },
    ),
  );

function toEvents(bodies: readonly AgentEvent[]): Event[] {
  return bodies.map((body, index) => ({
    id: String(index),
    session: "s",
    sequence: index + 1,
    epoch: 1,
    turn: null,
    occurredAt: new Date(1000 * index).toISOString(),
    agent: "a",
    model: null,
    spool: index + 1,
    synthetic: false,
    body,
  }));
}

/** A random lawful history: the candidates that the law allows at their position. */
const lawfulHistory = fc.array(anyBody, { minLength: 5, maxLength: 100, size: "max" }).map((candidates) => {
  const accepted: AgentEvent[] = [];
  let ledger = emptyLedger;
  for (const body of [started, ...candidates]) {
    const result = advance(ledger, body);
    ({ ledger } = result);
    if (result.violation === null) accepted.push(body);
  }
  return toEvents(accepted);
});

function fold(events: readonly Event[]): { turns: TurnSummary[]; outline: TurnOutline } {
  const turns: TurnSummary[] = [];
  let outline = emptyTurnOutline;
  for (const event of events) {
    outline = addToOutline(outline, event);
    if (outline.turn !== null) turns[outline.turn.number - 1] = outline.turn;
  }
  return { turns, outline };
}

test("agrees with the ledger of the law after every event of any lawful history", () => {
  fc.assert(
    fc.property(lawfulHistory, (events) => {
      let [outline, ledger] = [emptyTurnOutline, emptyLedger];
      for (const event of events) {
        outline = addToOutline(outline, event);
        ({ ledger } = advance(ledger, event.body));
        const turn = outline.turn?.endedAt === null ? outline.turn : null;
        expect(turn?.turn ?? null).toBe(openTurn(ledger));
        expect(turn !== null && turn.waitingSince !== null).toBe(isOpen(ledger, "decision"));
        expect(outline.last).toBe(event.sequence);
      }
    }),
  );
});

test("each turn has the sums of its part of any lawful history", () => {
  fc.assert(
    fc.property(lawfulHistory, (events) => {
      const { turns } = fold(events);
      const starts = events.filter(({ body }) => body.type === "turn.started");
      expect(turns.map(({ first }) => first)).toEqual(starts.map(({ sequence }) => sequence));
      for (const [index, turn] of turns.entries()) {
        const own = events.filter(({ sequence }) => sequence >= turn.first && sequence <= turn.last);
        const until = turns[index + 1]?.first ?? Infinity;
        const withUsage = events.filter(({ sequence }) => sequence >= turn.first && sequence < until);
        const bodies = <Type extends AgentEvent["type"]>(type: Type, from = own): EventOf<Type>[] =>
          from.map(({ body }) => body).filter((body): body is EventOf<Type> => body.type === type);
        expect(TurnSummary.parse(turn)).toEqual(turn);
        expect(turn.number).toBe(index + 1);
        expect(turn.calls).toBe(bodies("tool.requested").length);
        const failures = bodies("tool.ended").filter(
          ({ ok, reason }) => !ok && (reason === undefined || reason === "failed" || reason === "unfinished"),
        );
        expect(turn.failedCalls).toBe(failures.length);
        expect(turn.files).toBe(new Set(bodies("file.changed").map(({ path }) => path.replace("/w/", ""))).size);
        expect(turn.waitMs).toBe(waitOf(own));
        const usages = bodies("usage.reported", withUsage);
        expect(turn.tokens).toEqual(usages.reduce((sum, one) => addTokenCounts(sum, one.tokens), zeroTokenCounts));
        const costs = usages.flatMap(({ cost }) => (cost === null ? [] : [cost.amount]));
        expect(turn.cost).toBe(costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0));
        const end = own.find(({ body }) => body.type === "turn.ended");
        expect(turn.endedAt).toBe(end?.occurredAt ?? null);
        if (end !== undefined) expect(turn.last).toBe(end.sequence);
      }
    }),
  );
});

/** Milliseconds with an open decision, up to the last answer. One second passes between two events. */
function waitOf(events: readonly Event[]): number {
  const open = new Set<string>();
  let [wait, pending] = [0, 0];
  for (const { body } of events) {
    if (open.size > 0) pending += 1000;
    if (body.type === "decision.requested") open.add(body.decision);
    if (body.type === "decision.resolved") open.delete(body.decision);
    if (open.size > 0) continue;
    wait += pending;
    pending = 0;
  }
  return wait;
}

test("continues from a stored state as if it had read all events", () => {
  fc.assert(
    fc.property(lawfulHistory, fc.nat(), (events, position) => {
      const middle = position % events.length;
      const { outline } = fold(events.slice(0, middle));
      let continued = JSON.parse(JSON.stringify(outline)) as TurnOutline;
      for (const event of events.slice(middle)) continued = addToOutline(continued, event);
      expect(continued).toEqual(fold(events).outline);
    }),
  );
});

test("a clock that was set back makes no wait negative", () => {
  const events = toEvents([started, turnStarted("a"), requested("d"), resolved("d")]);
  const setBack = events.map((event, index) => (index < 3 ? event : { ...event, occurredAt: events[0]!.occurredAt }));
  expect(fold(setBack).turns).toMatchObject([{ waitMs: 0, waitingSince: null }]);
});

test.each([
  ["  Fix\n\tthe   bug \r\n", "Fix the bug"],
  ["<context>\nsecret context\n</context>\n\nFix it", "Fix it"],
  [`${"x".repeat(199)}𝄞`, "x".repeat(199)],
  ["\n".repeat(100_000) + "late", "late"],
  ["", ""],
])("the title of %j is one short line", (input, title) => {
  expect(fold(toEvents([started, turnStarted("a", input)])).turns[0]?.title).toBe(title);
});

test("a step costs the same after many turns and many files", () => {
  const sizeAfter = (turns: number): number => {
    const bodies = Array.from({ length: turns }, (_, index) => [
      turnStarted(`${index}`),
      changed("a"),
      turnEnded(`${index}`),
    ]);
    return JSON.stringify(fold(toEvents([started, ...bodies.flat()])).outline).length;
  };
  expect(sizeAfter(5000) - sizeAfter(50)).toBeLessThan(100);
});
