import type { UsageView } from "@fairlead/api";
import { addTokenCounts, type TokenCounts, zeroTokenCounts } from "@fairlead/contract";

export const usageGroupings = ["agent", "model", "workspace"] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

type Provenance = UsageView["provenance"];

/** A sum of usage. Costs that agents reported and estimates at list prices stay apart. */
export interface UsageSum {
  readonly tokens: TokenCounts;
  /** In US dollars; null if no agent reported a cost. */
  readonly cost: number | null;
  /** In US dollars, of the tokens without a reported cost; null if there are none or no price is known. */
  readonly estimate: number | null;
  /** How many tokens have which provenance, the most certain first. */
  readonly provenances: readonly (readonly [provenance: Provenance, tokens: number])[];
}

export interface UsageGroup extends UsageSum {
  readonly key: string;
}

/** How certain the counts are, the most certain first. */
const certainty: readonly Provenance[] = ["reported", "derived", "estimated", "unknown"];

/** Usage as the service returns it. The usage in a range of time has no estimate. */
type ReportedUsage = Pick<UsageView, "tokens" | "cost" | "provenance"> & Partial<Pick<UsageView, "estimate">>;

export function sumUsage(entries: readonly ReportedUsage[]): UsageSum {
  let tokens = zeroTokenCounts;
  const counts = new Map<Provenance, number>();
  for (const entry of entries) {
    tokens = addTokenCounts(tokens, entry.tokens);
    counts.set(entry.provenance, (counts.get(entry.provenance) ?? 0) + countTokens(entry.tokens));
  }
  return {
    tokens,
    cost: addKnown(entries.map(({ cost }) => cost)),
    estimate: addKnown(entries.map(({ estimate }) => estimate?.amount ?? null)),
    provenances: certainty.flatMap((provenance) => {
      const count = counts.get(provenance);
      return count === undefined ? [] : [[provenance, count] as const];
    }),
  };
}

/** Sums usage by agent, model or workspace, the largest number of tokens first. */
export function groupUsage(
  entries: readonly (ReportedUsage & Readonly<Record<UsageGrouping, string>>)[],
  grouping: UsageGrouping,
): UsageGroup[] {
  const groups = Map.groupBy(entries, (entry) => entry[grouping]);
  return Array.from(groups, ([key, members]) => ({ key, ...sumUsage(members) })).toSorted(
    (one, other) => countTokens(other.tokens) - countTokens(one.tokens) || (one.key < other.key ? -1 : 1),
  );
}

/** All tokens. Reasoning is a part of the output. */
export function countTokens({ uncached, cacheRead, cacheWrite, output }: TokenCounts): number {
  return uncached + cacheRead + cacheWrite + output;
}

/** The part of the input that came from caches, in percent; null without input. */
export function cachedPercent({ uncached, cacheRead, cacheWrite }: TokenCounts): number | null {
  const input = uncached + cacheRead + cacheWrite;
  return input === 0 ? null : Math.round((100 * cacheRead) / input);
}

/** Writes a count with at most three digits: `31.8 M`, `212 k`, `87`. */
export function abbreviateCount(count: number): string {
  if (count < 1000) return String(count);
  const units = ["k", "M", "G", "T"] as const;
  let value = count;
  let unit = "";
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 99.95 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

function addKnown(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}
