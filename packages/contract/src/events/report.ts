import { z } from "zod";
import { ErrorCategory } from "../error-category.ts";

/** Tokens in the five buckets that vendors price apart. A bucket the vendor does not tell of is 0. */
export const Tokens = z.strictObject({
  uncached: z.int().nonnegative(),
  cacheRead: z.int().nonnegative(),
  cacheWrite: z.int().nonnegative(),
  output: z.int().nonnegative(),
  /** The part of `output` that was reasoning. */
  reasoning: z.int().nonnegative(),
});
export type Tokens = z.infer<typeof Tokens>;

/** What was used since the last report for this model: always a difference, never a running total. */
export const UsageReported = z.strictObject({
  type: z.literal("usage.reported"),
  /** Who served the model, as far as the agent tells. */
  provider: z.string(),
  model: z.string(),
  tokens: Tokens,
  cost: z.strictObject({ amount: z.number(), currency: z.literal("USD") }).nullable(),
  /** `reported` as the vendor gave it; `derived` from the vendor's running totals. */
  provenance: z.enum(["reported", "derived", "estimated", "unknown"]),
});

/** Something worth knowing that changes nothing: a retry, a notice, a setting that could not be applied. */
export const StatusReported = z.strictObject({
  type: z.literal("status.reported"),
  level: z.enum(["info", "warning"]),
  message: z.string(),
});

/** Something went wrong. What became of the turn or the session is said by their own events. */
export const ErrorRaised = z.strictObject({
  type: z.literal("error.raised"),
  category: ErrorCategory,
  message: z.string(),
});

/** Something heard that no one understood, kept so that nothing heard is ever thrown away. */
export const Unrecognized = z.strictObject({
  type: z.literal("unrecognized"),
  reason: z.string(),
  raw: z.string(),
});
