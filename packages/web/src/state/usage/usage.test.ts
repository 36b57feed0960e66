import type { UsageView } from "@fairlead/api";
import { expect, test } from "vitest";
import { cachedPercent, abbreviateCount, groupUsage, sumUsage } from "./usage.ts";

function entry(fields: Partial<UsageView> & { readonly input?: number }): UsageView {
  const { input = 10, ...rest } = fields;
  return {
    session: "s",
    workspace: "/w",
    room: null,
    agent: "made-up",
    provider: "p",
    model: "m",
    tokens: { uncached: input, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 1 },
    cost: null,
    estimate: null,
    provenance: "reported",
    ...rest,
  };
}

test("keeps reported costs, estimates and provenances apart", () => {
  const sum = sumUsage([
    entry({ cost: 1 }),
    entry({ estimate: { amount: 2, asOf: "2026-01-01" }, provenance: "derived" }),
    entry({ cost: 0.5, input: 99 }),
  ]);
  expect(sum).toMatchObject({
    cost: 1.5,
    estimate: 2,
    provenances: [
      ["reported", 111],
      ["derived", 11],
    ],
  });
});

test("says that no cost is known, instead of zero", () => {
  expect(sumUsage([entry({})])).toMatchObject({ cost: null, estimate: null });
});

test("groups by what is asked for, the largest first", () => {
  const entries = [entry({ model: "a" }), entry({ model: "b", input: 50 }), entry({ model: "a", input: 5 })];
  expect(groupUsage(entries, "model").map(({ key, tokens }) => [key, tokens.uncached])).toEqual([
    ["b", 50],
    ["a", 15],
  ]);
});

test("counts reads from caches as a part of the input", () => {
  expect(cachedPercent({ uncached: 10, cacheRead: 30, cacheWrite: 0, output: 99, reasoning: 0 })).toBe(75);
  expect(cachedPercent({ uncached: 0, cacheRead: 0, cacheWrite: 0, output: 9, reasoning: 0 })).toBeNull();
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1.0 k"],
  [212_400, "212 k"],
  [999_600, "1.0 M"],
  [31_800_000, "31.8 M"],
])("writes %d as %s", (count, expected) => {
  expect(abbreviateCount(count)).toBe(expected);
});
