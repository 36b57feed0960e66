import type { AgentEvent } from "@fairlead/contract";
import { expect, test } from "vitest";
import { SessionProjection } from "./session-projection.ts";
import { type HourlyTurns, TurnHistory } from "./turn-history.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const end: AgentEvent = { type: "turn.ended", turn: "t", outcome: "completed" };

/** A history in which requests were open from and to these hours. */
function waitsOf(...waits: readonly (readonly [from: number, to: number])[]): TurnHistory {
  let history = new TurnHistory();
  for (const [from, to] of waits) {
    for (const [hour, isWaiting] of [
      [from, true],
      [to, false],
    ] as const)
      history.add({ occurredAt: new Date(start + hour * hourMs).toISOString(), body: end }, isWaiting);
    history = new TurnHistory(JSON.parse(JSON.stringify(history.content)));
  }
  return history;
}

const sum = (sums: Iterable<HourlyTurns>, key: "turns" | "waitedMs"): number =>
  [...sums].reduce((total, one) => total + one[key], 0);

test("counts turns by their end and outcome", () => {
  const history = new TurnHistory();
  for (const [hour, outcome] of [
    [0, "completed"],
    [0.5, "failed"],
    [0.9, "interrupted"],
    [1, "limited"],
    [1.5, "failed"],
  ] as const) {
    const occurredAt = new Date(start + hour * hourMs).toISOString();
    history.add({ occurredAt, body: { type: "turn.ended", turn: "t", outcome } }, false);
  }
  const noWait = { waitedMs: 0, longestWaitMs: 0 };
  expect([...history.sums(start)]).toEqual([
    { start, turns: 3, failed: 1, interrupted: 1, ...noWait },
    { start: start + hourMs, turns: 2, failed: 1, interrupted: 0, ...noWait },
  ]);
});

test("a wait counts in each of its hours, and its length in the last one", () => {
  const waits = [...waitsOf([0.5, 2.25]).sums(start)].toSorted((one, other) => one.start - other.start);
  expect(waits.map((one) => [one.start, one.waitedMs / hourMs, one.longestWaitMs / hourMs])).toEqual([
    [start, 0.5, 0],
    [start + hourMs, 1, 0],
    [start + 2 * hourMs, 0.25, 1.75],
  ]);
});

test("a wait that is not over is counted until now, and not stored", () => {
  const history = new TurnHistory();
  history.add({ occurredAt: new Date(start).toISOString(), body: { type: "agent.progressed" } as never }, true);
  for (const hours of [0.25, 1.5]) expect(sum(history.sums(start + hours * hourMs), "waitedMs")).toBe(hours * hourMs);
  expect(history.content).toEqual({ waitingSince: start, hours: [], days: [] });
});

test("no time is lost in waits of any length, and none is added by a clock that goes back", () => {
  expect(sum(waitsOf([0, 3], [3, 3.5], [7, 5], [10, 20_010]).sums(start), "waitedMs")).toBe(20_003.5 * hourMs);
  const waits = Array.from({ length: 3000 }, (_, index) => [index * 30, index * 30 + 1.5] as const);
  const long = waitsOf(...waits);
  expect(sum(long.sums(start), "waitedMs")).toBe(4500 * hourMs);
  expect(sum(long.sums(start), "turns")).toBe(6000);
  expect(JSON.stringify(long.content).length).toBeLessThan(100_000);
});

test("requests that are open at the same time are one wait", () => {
  const projection = new SessionProjection();
  const bodies = ["requested a", "requested b", "resolved a", "resolved b"].map((text): AgentEvent => {
    const [type, decision] = text.split(" ");
    return { type: `decision.${type}`, decision, by: { kind: "person" }, input: {} } as never;
  });
  for (const [index, body] of bodies.entries()) {
    const common = { id: "1", session: "s", epoch: 1, turn: null, agent: "scripted", model: null, synthetic: false };
    const occurredAt = new Date(start + index * 60_000).toISOString();
    projection.add({ ...common, sequence: index + 1, spool: index + 1, occurredAt, body });
  }
  expect([...projection.turnHistory(start)]).toMatchObject([{ waitedMs: 180_000, longestWaitMs: 180_000 }]);
});
