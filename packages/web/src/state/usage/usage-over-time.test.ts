import type { UsageBucket } from "@fairlead/api";
import { expect, test } from "vitest";
import { stackUsage, usageSpanOf } from "./usage-over-time.ts";

const midnight = Date.UTC(2026, 5, 15);
const hourMs = 3_600_000;

function bucket(start: number, agent: string, output: number): UsageBucket {
  const tokens = { uncached: 0, cacheRead: 0, cacheWrite: 0, output, reasoning: 0 };
  const where = { agent, provider: "p", model: "m", workspace: "/w" };
  return {
    start: new Date(start).toISOString(),
    ...where,
    sessions: 1,
    turns: 1,
    tokens,
    cost: null,
    provenance: "reported",
  };
}

test("a range ends with the hour or day that runs", () => {
  const now = midnight + 13.5 * hourMs;
  for (const range of ["Today", "7 days", "30 days"] as const) {
    const { from, bars, barMs, barsPerLabel } = usageSpanOf(range, now, midnight);
    expect(from).toBeLessThanOrEqual(now);
    expect(from + bars * barMs).toBeGreaterThan(now);
    expect(bars % barsPerLabel).toBe(0);
  }
  expect(usageSpanOf("7 days", now, midnight)).toMatchObject({ by: "hour", from: midnight - 144 * hourMs, bars: 168 });
  // Half an hour east of a whole hour: the service's hours are those of UTC.
  expect(usageSpanOf("Today", now, midnight - hourMs / 2).from).toBe(midnight - hourMs);
});

test("stacks the largest groups, and all others together", () => {
  const span = usageSpanOf("Today", midnight, midnight);
  const agents = ["a", "b", "c", "d", "e", "f"].map((agent, index) => bucket(midnight + hourMs, agent, 10 - index));
  const { keys, bars, largest } = stackUsage([...agents, bucket(midnight, "f", 1)], "agent", span);
  expect(keys).toEqual(["a", "b", "c", "d", null]);
  expect(bars).toHaveLength(24);
  expect(bars[0]).toEqual({ start: midnight, tokens: [0, 0, 0, 0, 1] });
  expect(bars[1]).toEqual({ start: midnight + hourMs, tokens: [10, 9, 8, 7, 11] });
  expect(largest).toBe(45);
});

test("usage outside of the range has no bar, and no usage has a height", () => {
  const span = usageSpanOf("30 days", midnight, midnight);
  const { bars, largest } = stackUsage([bucket(midnight - 400 * 24 * hourMs, "a", 5)], "agent", span);
  expect(bars.flatMap(({ tokens }) => tokens).every((count) => count === 0)).toBe(true);
  expect(largest).toBe(1);
});
