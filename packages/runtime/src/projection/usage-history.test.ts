import type { Event, EventOf } from "@fairlead/contract";
import { expect, test } from "vitest";
import { SessionProjection } from "./session-projection.ts";
import { UsageHistory } from "./usage-history.ts";
import { UsageTotals } from "./usage-totals.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const models = ["small", "large"] as const;
const provenances = ["reported", "derived", "estimated", "unknown"] as const;

/** A report whose counts differ from those of other reports. Every third has no cost. */
function reportAt(time: number, index: number): Event {
  const body: EventOf<"usage.reported"> = {
    type: "usage.reported",
    provider: "p",
    model: models[index % 2] ?? "",
    tokens: { uncached: index, cacheRead: 2 * index, cacheWrite: 1, output: index % 7, reasoning: index % 3 },
    cost: index % 3 === 0 ? null : { amount: 0.25, currency: "USD" },
    provenance: provenances[index % 4] ?? "unknown",
  };
  const common = { id: `${index}`, session: "s", epoch: 1, sequence: index + 1, spool: index + 1, synthetic: false };
  const occurredAt = new Date(time).toISOString();
  return { ...common, turn: `t${Math.floor(index / 10)}`, agent: "scripted", model: null, occurredAt, body };
}

/** The totals by model, without what only one of the two kinds of sums has. */
function totalsOf(history: UsageHistory): unknown {
  const byModel = Map.groupBy(history.sums(), ({ model }) => model);
  return Array.from(byModel, ([model, sums]) => ({
    model,
    uncached: sums.reduce((sum, { tokens }) => sum + tokens.uncached, 0),
    cacheRead: sums.reduce((sum, { tokens }) => sum + tokens.cacheRead, 0),
    cacheWrite: sums.reduce((sum, { tokens }) => sum + tokens.cacheWrite, 0),
    output: sums.reduce((sum, { tokens }) => sum + tokens.output, 0),
    reasoning: sums.reduce((sum, { tokens }) => sum + tokens.reasoning, 0),
    cost: sums.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    certainty: Math.max(...sums.map(({ provenance }) => provenances.indexOf(provenance))),
    turns: sums.reduce((sum, { turns }) => sum + turns, 0),
  })).toSorted((one, other) => one.model.localeCompare(other.model));
}

/** Steps between two reports: within an hour, about an hour, days, and a clock that goes back. */
test.each([60_000, hourMs + 1, 40 * hourMs, -hourMs])(
  "no token, cost or turn is lost or counted twice with %j ms between reports",
  (step) => {
    const count = 4000;
    const totals = new UsageTotals();
    let history = new UsageHistory();
    for (let index = 0; index < count; index += 1) {
      const event = reportAt(start + index * step, index);
      totals.add(event);
      history.add(event);
      if (index % 500 === 0) history = new UsageHistory(JSON.parse(JSON.stringify(history.content)));
    }
    const expected = totals.totals.map(({ model, tokens, cost, provenance }) => ({
      model,
      ...tokens,
      cost,
      certainty: provenances.indexOf(provenance),
      turns: count / 10,
    }));
    expect(totalsOf(history)).toEqual(expected.toSorted((one, other) => one.model.localeCompare(other.model)));
  },
);

test("keeps new hours, merges old ones into days, and stays small over years", () => {
  const history = new UsageHistory();
  const hours = 60_000;
  for (let hour = 0; hour < hours; hour += 1) history.add(reportAt(start + hour * hourMs, 2 * hour));
  const { hours: kept, days } = history.content;
  expect({ hours: kept.length, days: days.length }).toEqual({ hours: 1000, days: 1000 });
  const sums = [...history.sums()];
  expect(sums.at(-1)?.start).toBe(start + (hours - 1) * hourMs);
  expect(sums.slice(0, 1000).every(({ start: day }) => day % (24 * hourMs) === 0)).toBe(true);
  expect(JSON.stringify(history.content).length).toBeLessThan(150_000);
});

test("a row without a history is read, and gets one", () => {
  const projection = SessionProjection.fromRow({ content: JSON.stringify({ queued: [], decisions: [], usage: [] }) });
  expect([...projection.usageHistory]).toEqual([]);
  projection.add(reportAt(start, 1));
  expect([...projection.usageHistory]).toMatchObject([{ start, model: "large", turns: 1, cost: 0.25 }]);
});
