import type { TurnBucket } from "@fairlead/api";
import type { UsageGrouping } from "./usage.ts";

/** Ended turns and the time that requests waited. */
export type TurnSum = Pick<TurnBucket, "turns" | "failed" | "interrupted" | "waitedMs" | "longestWaitMs">;

const noTurns: TurnSum = { turns: 0, failed: 0, interrupted: 0, waitedMs: 0, longestWaitMs: 0 };

export function sumTurns(buckets: readonly TurnBucket[]): TurnSum {
  return buckets.reduce(
    (sum, one) => ({
      turns: sum.turns + one.turns,
      failed: sum.failed + one.failed,
      interrupted: sum.interrupted + one.interrupted,
      waitedMs: sum.waitedMs + one.waitedMs,
      longestWaitMs: Math.max(sum.longestWaitMs, one.longestWaitMs),
    }),
    noTurns,
  );
}

/** Sums turns by agent or workspace. A turn may have several models, so that there are no sums by model: undefined. */
export function groupTurns(
  buckets: readonly TurnBucket[],
  grouping: UsageGrouping,
): ReadonlyMap<string, TurnSum> | undefined {
  if (grouping === "model") return undefined;
  const groups = Map.groupBy(buckets, (bucket) => bucket[grouping]);
  return new Map(Array.from(groups, ([key, members]) => [key, sumTurns(members)]));
}
