import type { UsageBucket, UsageHistoryQuery } from "@fairlead/api";
import { countTokens, type UsageGrouping } from "./usage.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const usageRanges = ["Today", "7 days", "30 days"] as const;
export type UsageRange = (typeof usageRanges)[number];

/** The bars of a range. */
export interface UsageSpan {
  readonly by: UsageHistoryQuery["by"];
  /** The beginning of the first bar, in milliseconds since 1970. */
  readonly from: number;
  readonly bars: number;
  readonly barMs: number;
  /** The number of bars under one label of the axis. */
  readonly barsPerLabel: number;
}

/** A bar's tokens, one number for each key of the chart. */
export interface UsageBar {
  readonly start: number;
  readonly tokens: readonly number[];
}

export interface StackedUsage {
  /** The groups with the most tokens, the largest first; null for all others together. */
  readonly keys: readonly (string | null)[];
  readonly bars: readonly UsageBar[];
  /** The tokens of the highest bar, and at least 1. */
  readonly largest: number;
}

/** The number of groups with a shade of their own. */
const maxKeys = 4;

/** Returns the bars of a range. Days of hours begin at `midnight`, in the person's time zone; the service's days are in UTC. */
export function usageSpanOf(range: UsageRange, now: number, midnight: number): UsageSpan {
  if (range === "30 days") {
    const from = Math.floor(now / dayMs) * dayMs - 29 * dayMs;
    return { by: "day", from, bars: 30, barMs: dayMs, barsPerLabel: 5 };
  }
  const days = range === "Today" ? 1 : 7;
  const from = Math.floor(midnight / hourMs) * hourMs - (days - 1) * dayMs;
  return { by: "hour", from, bars: days * 24, barMs: hourMs, barsPerLabel: days === 1 ? 6 : 24 };
}

/** Stacks the tokens of each bar by group. */
export function stackUsage(buckets: readonly UsageBucket[], grouping: UsageGrouping, span: UsageSpan): StackedUsage {
  const totals = new Map<string, number>();
  for (const bucket of buckets)
    totals.set(bucket[grouping], (totals.get(bucket[grouping]) ?? 0) + countTokens(bucket.tokens));
  const sorted = [...totals].toSorted(([one, tokens], [other, more]) => more - tokens || (one < other ? -1 : 1));
  const named = sorted.slice(0, maxKeys).map(([key]) => key);
  const keys = sorted.length > maxKeys ? [...named, null] : named;
  const sums = Array.from({ length: span.bars }, () => keys.map(() => 0));
  for (const bucket of buckets) {
    const sum = sums[Math.floor((Date.parse(bucket.start) - span.from) / span.barMs)];
    const place = named.indexOf(bucket[grouping]);
    const index = place < 0 ? named.length : place;
    if (sum !== undefined) sum[index] = (sum[index] ?? 0) + countTokens(bucket.tokens);
  }
  const bars = sums.map((tokens, index) => ({ start: span.from + index * span.barMs, tokens }));
  return { keys, bars, largest: Math.max(1, ...bars.map(({ tokens }) => tokens.reduce((sum, one) => sum + one, 0))) };
}
