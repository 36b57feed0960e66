import { z } from "zod";
import { ErrorCategory } from "../error-category.ts";

/** Token counts in the five buckets that vendors price separately. A bucket that the vendor does not report is 0. */
export const TokenCounts = z.strictObject({
  uncached: z.int().nonnegative(),
  cacheRead: z.int().nonnegative(),
  cacheWrite: z.int().nonnegative(),
  output: z.int().nonnegative(),
  /** The part of `output` that was reasoning. */
  reasoning: z.int().nonnegative(),
});
export type TokenCounts = z.infer<typeof TokenCounts>;

export const zeroTokenCounts: TokenCounts = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** Adds token counts bucket by bucket. */
export function addTokenCounts(one: TokenCounts, other: TokenCounts): TokenCounts {
  return {
    uncached: one.uncached + other.uncached,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}

/**
 * Usage since the last report for this model: always a difference, never a running total. Some agents report tokens after
 * each call of the model and the cost later: a cost is that of this report and of those before it without one.
 */
export const UsageReported = z.strictObject({
  type: z.literal("usage.reported"),
  /** Host of the model, as far as the agent reports it. */
  provider: z.string(),
  model: z.string(),
  tokens: TokenCounts,
  cost: z.strictObject({ amount: z.number(), currency: z.literal("USD") }).nullable(),
  /** `reported`: as the vendor reported it. `derived`: computed from the vendor's running totals. */
  provenance: z.enum(["reported", "derived", "estimated", "unknown"]),
});

/** What the vendor says about a quota of the account, such as that of a subscription. Written when it changes. */
export const QuotaReported = z.strictObject({
  type: z.literal("quota.reported"),
  /** `warning`: most of it is used. `exhausted`: requests are refused until the reset. */
  status: z.enum(["available", "warning", "exhausted"]),
  /** The period of the quota, as the vendor names it. */
  window: z.string().optional(),
  usedPercent: z.number().nonnegative().optional(),
  resetsAt: z.iso.datetime().optional(),
});

/** Information that changes no state: a retry, a notice, a setting that the agent did not apply. */
export const StatusReported = z.strictObject({
  type: z.literal("status.reported"),
  level: z.enum(["info", "warning"]),
  message: z.string(),
  /** What the agent is about to do, for programs. `compaction`: it compacts its context, and `context.compacted` follows. */
  announces: z.enum(["compaction"]).optional(),
});

/** A failure. The events of the turn and the session state its consequences. */
export const ErrorRaised = z.strictObject({
  type: z.literal("error.raised"),
  category: ErrorCategory,
  message: z.string(),
});

/** Output that no code recognized. Kept so that no output is lost. */
export const Unrecognized = z.strictObject({
  type: z.literal("unrecognized"),
  reason: z.string(),
  raw: z.string(),
});
