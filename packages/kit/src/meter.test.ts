import { describe, expect, test } from "vitest";
import { AgentTokenCount, reportUsage, subtractCachedInput, type Meters, type UsageReading } from "./meter.ts";
import { TransitionWriter } from "./transition-writer.ts";

const tokens = (uncached: number, output: number): UsageReading["tokens"] => ({
  uncached,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
});

function reportAll(...readings: Partial<UsageReading>[]): unknown[] {
  const writer = new TransitionWriter<{ meters: Meters }>({ meters: {} });
  for (const reading of readings) {
    reportUsage(writer, {
      kind: "cumulative",
      provider: "p",
      model: "m",
      tokens: tokens(0, 0),
      cost: null,
      ...reading,
    });
  }
  return (writer.transition.events ?? []).map(
    (event) =>
      event.type === "usage.reported" && [
        event.tokens.uncached,
        event.tokens.output,
        event.cost?.amount ?? null,
        event.provenance,
      ],
  );
}

test("reports a difference unchanged", () => {
  expect(
    reportAll({ kind: "delta", tokens: tokens(5, 2) }, { kind: "delta", tokens: tokens(5, 2), cost: 0.5 }),
  ).toEqual([
    [5, 2, null, "reported"],
    [5, 2, 0.5, "reported"],
  ]);
});

test("reports the difference of running totals, and nothing if there is none", () => {
  const totals = [tokens(5, 2), tokens(5, 2), tokens(9, 3)].map((counts, cost) => ({ tokens: counts, cost }));
  expect(reportAll(...totals)).toEqual([
    [5, 2, 0, "derived"],
    [4, 1, 1, "derived"],
  ]);
});

test("keeps a separate total per model", () => {
  expect(reportAll({ tokens: tokens(5, 2) }, { model: "other", tokens: tokens(6, 2) })).toEqual([
    [5, 2, null, "derived"],
    [6, 2, null, "derived"],
  ]);
});

test("keeps one total for a counter that spans models, also if an earlier version stored it by model", () => {
  const thread = { counter: "t", spansModels: true } as const;
  const other = { ...thread, counter: "u", model: "m" };
  expect(
    reportAll(
      { counter: "t", tokens: tokens(5, 2) },
      { ...thread, model: "other", tokens: tokens(6, 2) },
      { ...thread, tokens: tokens(8, 3) },
      { ...other, tokens: tokens(9, 9) },
    ),
  ).toEqual([
    [5, 2, null, "derived"],
    [1, 0, null, "derived"],
    [2, 1, null, "derived"],
    [9, 9, null, "derived"],
  ]);
});

test("treats a decreased total as a restarted count", () => {
  expect(reportAll({ tokens: tokens(50, 20) }, { tokens: tokens(7, 3) })).toEqual([
    [50, 20, null, "derived"],
    [7, 3, null, "derived"],
  ]);
});

test("keeps a separate total per counter", () => {
  expect(reportAll({ counter: "a", tokens: tokens(5, 2) }, { counter: "b", tokens: tokens(6, 2) })).toEqual([
    [5, 2, null, "derived"],
    [6, 2, null, "derived"],
  ]);
});

test("uses a first total with earlier usage as the baseline only", () => {
  const counted = "before";
  expect(reportAll({ counted, tokens: tokens(5, 2) }, { tokens: tokens(6, 4) })).toEqual([[1, 2, null, "derived"]]);
  expect(reportAll({ tokens: tokens(5, 2) }, { counted, tokens: tokens(6, 4) })).toEqual([
    [5, 2, null, "derived"],
    [1, 2, null, "derived"],
  ]);
});

describe("subtractCachedInput", () => {
  const otherCounts = { cacheRead: 20, cacheWrite: 10, output: 5, reasoning: 1 };

  test("does not count cached tokens twice", () => {
    expect(subtractCachedInput({ input: 100, ...otherCounts })).toEqual({ uncached: 70, ...otherCounts });
  });

  test("returns no negative count for inconsistent figures", () => {
    expect(subtractCachedInput({ input: 25, ...otherCounts })).toEqual({ uncached: 0, ...otherCounts });
  });
});

test.each([-1, 0.5, 2 ** 60, Number.NaN, Infinity])(
  "reports a count of %s as unrecognized and keeps the totals",
  (count) => {
    const writer = new TransitionWriter<{ meters: Meters }>({ meters: {} });
    const reading = { kind: "cumulative", provider: "p", model: "m", cost: null } as const;
    reportUsage(writer, { ...reading, tokens: tokens(5, 2) });
    reportUsage(writer, { ...reading, tokens: tokens(count, 3) });
    reportUsage(writer, {
      ...reading,
      tokens: subtractCachedInput({ input: count, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 0 }),
    });
    reportUsage(writer, { ...reading, tokens: tokens(6, 4) });
    const events = writer.transition.events ?? [];
    expect(events.map(({ type }) => type)).toEqual([
      "usage.reported",
      "unrecognized",
      "unrecognized",
      "usage.reported",
    ]);
    expect(events.at(-1)).toMatchObject({ tokens: { uncached: 1, output: 2 } });
  },
);

test.each([-1, Number.NaN, -Infinity])("reports a cost of %s as unrecognized and keeps the totals", (cost) => {
  const writer = new TransitionWriter<{ meters: Meters }>({ meters: {} });
  const reading = { kind: "cumulative", provider: "p", model: "m" } as const;
  reportUsage(writer, { ...reading, tokens: tokens(5, 2), cost: 2 });
  reportUsage(writer, { ...reading, tokens: tokens(6, 2), cost });
  reportUsage(writer, { ...reading, tokens: tokens(7, 2), cost: 3 });
  const events = writer.transition.events ?? [];
  expect(events.map(({ type }) => type)).toEqual(["usage.reported", "unrecognized", "usage.reported"]);
  expect(events.at(-1)).toMatchObject({ tokens: { uncached: 2 }, cost: { amount: 1 } });
});

test("a token count of an agent is never the reason that a message cannot be read", () => {
  for (const value of [-1, Infinity, "12", null, undefined, {}])
    expect(AgentTokenCount.safeParse(value).success).toBe(true);
});

test("subtracts what was reported before, and still reports the cost", () => {
  const reported = tokens(5, 2);
  expect(
    reportAll(
      { kind: "delta", tokens: tokens(7, 2), reported, cost: 0.5 },
      { kind: "delta", tokens: tokens(5, 2), reported, cost: 0.5 },
      { kind: "delta", tokens: tokens(4, 2), reported },
    ),
  ).toEqual([
    [2, 0, 0.5, "reported"],
    [0, 0, 0.5, "reported"],
  ]);
});
