import { z } from "zod";

/** The largest limit of each kind. It keeps sums exact, and alarms within the range of a timer. */
const maxUsd = 1_000_000;
const maxTokens = 1_000_000_000_000;
const maxSeconds = 20 * 24 * 3600;

/**
 * What a session may use in all, since its start. A kind that is missing has no limit.
 *
 * `tokens` counts uncached input, input written to a cache, and output. Input read from a cache is not counted: agents
 * send the whole conversation with every call, so that its count grows with the number of calls, at a tenth of the price.
 * `seconds` counts the time of the agent's turns, without the time in which all of its calls wait for decisions.
 */
export const SpendingLimits = z.strictObject({
  /** In US dollars. */
  usd: z.number().positive().max(maxUsd).exactOptional(),
  tokens: z.int().positive().max(maxTokens).exactOptional(),
  seconds: z.number().positive().max(maxSeconds).exactOptional(),
});
export type SpendingLimits = z.infer<typeof SpendingLimits>;
/** A kind of limit. */
export type LimitKind = keyof SpendingLimits;
export const limitKinds = ["usd", "tokens", "seconds"] as const satisfies readonly LimitKind[];

/** What a session has used, in the kinds of its limits. */
export const Spent = z.strictObject({
  usd: z.number().nonnegative(),
  tokens: z.int().nonnegative(),
  seconds: z.number().nonnegative(),
});
export type Spent = z.infer<typeof Spent>;

/** Returns the first kind of which everything is used, or null. */
export function findReachedLimit(limits: SpendingLimits, spent: Spent): LimitKind | null {
  return limitKinds.find((kind) => spent[kind] >= (limits[kind] ?? Infinity)) ?? null;
}

/** Returns the lower of two limits for each kind. */
export function tightenLimits(one: SpendingLimits, other: SpendingLimits): SpendingLimits {
  const lower = limitKinds.map((kind) => [kind, Math.min(one[kind] ?? Infinity, other[kind] ?? Infinity)] as const);
  return Object.fromEntries(lower.filter(([, limit]) => limit !== Infinity));
}

/** Whether a change of limits raises one of them. */
export function raisesLimit(before: SpendingLimits, change: SpendingLimits): boolean {
  return limitKinds.some((kind) => (change[kind] ?? 0) > (before[kind] ?? Infinity));
}
