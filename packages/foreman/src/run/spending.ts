import type { Fairlead, Plan } from "@fairlead/api";
import type { SpendingLimits } from "@fairlead/contract";

/** What sessions used, as far as it is known. */
export interface RunSpending {
  /** In US dollars; null if neither a cost nor a price is known of any. */
  readonly usd: number | null;
  readonly tokens: number;
}

export async function sumSpending(fairlead: Fairlead, sessions: readonly string[]): Promise<RunSpending> {
  const usage = (await Promise.all(sessions.map((session) => fairlead.usage(session)))).flat();
  const costs = usage.flatMap(({ cost, estimate }) =>
    cost === null && estimate === null ? [] : [(cost ?? 0) + (estimate?.amount ?? 0)],
  );
  // As limits count them: without what was read from a cache.
  const tokens = usage.reduce((sum, one) => sum + one.tokens.uncached + one.tokens.cacheWrite + one.tokens.output, 0);
  // A sum of such numbers has many digits that mean nothing.
  const usd = Math.round(costs.reduce((sum, cost) => sum + cost, 0) * 10_000) / 10_000;
  return { usd: costs.length === 0 ? null : usd, tokens };
}

/**
 * Returns what the next session may use: what the run has left, divided by the number of sessions that work at the same
 * time. Returns null if nothing is left.
 */
export function shareOfLimit(plan: Plan, spent: RunSpending, sessions: number): SpendingLimits | null {
  const { usd, tokens } = plan.limit ?? {};
  const left = {
    ...(usd !== undefined && { usd: (usd - (spent.usd ?? 0)) / sessions }),
    ...(tokens !== undefined && { tokens: Math.floor((tokens - spent.tokens) / sessions) }),
  };
  return Object.values(left).some((amount) => amount <= 0) ? null : left;
}
