import { TokenCounts, UsageReported } from "@fairlead/contract";
import { z } from "zod";

/** The usage of one model by one session. */
export const UsageView = z.strictObject({
  session: z.string(),
  workspace: z.string(),
  /** The room of the workspace that the session was started in, if any. */
  room: z.string().nullable(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  tokens: TokenCounts,
  /** In US dollars, as the agent reported it; null if it reported none. */
  cost: z.number().nullable(),
  /**
   * What the tokens without a reported cost cost at list prices, in US dollars, and the day of the price list. It is not part
   * of `cost`. Null if there are no such tokens, or no price is known.
   */
  estimate: z.strictObject({ amount: z.number().nonnegative(), asOf: z.iso.date() }).nullable(),
  /** The least certain provenance of all reports in the sum. */
  provenance: UsageReported.shape.provenance,
});
export type UsageView = z.infer<typeof UsageView>;

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());

/** A range of time and the length of its parts. */
export const UsageHistoryQuery = z.strictObject({
  /** The length of a part, in UTC. */
  by: z.enum(["hour", "day"]),
  /** The first time; its whole hour or day is counted. Default: 24 hours before `to`, or 30 days with `by=day`. */
  from: Time.optional(),
  /** The end of the range: at most 31 days after `from`, or 400 days with `by=day`. Default: now. */
  to: Time.optional(),
});
export type UsageHistoryQuery = Readonly<z.infer<typeof UsageHistoryQuery>>;

/** The usage of one model by the sessions of one agent in one workspace, in one hour or day. */
export const UsageBucket = z.strictObject({
  /** The beginning of the hour or day. */
  start: z.iso.datetime(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  /** The workspace of the sessions; of isolated ones, the folder that they have a copy of. */
  workspace: z.string(),
  /** The number of sessions that reported usage. A session counts in each hour or day. */
  sessions: z.int().nonnegative(),
  /** The number of turns whose first report of the model is in the hour or day. */
  turns: z.int().nonnegative(),
  tokens: TokenCounts,
  /** In US dollars, as the agents reported it; null if none did. */
  cost: z.number().nullable(),
  /** The least certain provenance of all reports in the sum. */
  provenance: UsageReported.shape.provenance,
});
export type UsageBucket = z.infer<typeof UsageBucket>;

/** The ended turns of the sessions of one agent in one workspace, and how long they waited, in one hour or day. */
export const TurnBucket = z.strictObject({
  /** The beginning of the hour or day. */
  start: z.iso.datetime(),
  agent: z.string(),
  /** The workspace of the sessions; of isolated ones, the folder that they have a copy of. */
  workspace: z.string(),
  /** The number of turns that ended, whatever their outcome. */
  turns: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  interrupted: z.int().nonnegative(),
  /**
   * The sum over sessions of the time in which a request of the session was open, in milliseconds. Requests that are open at
   * the same time count once. An open request counts until now.
   */
  waitedMs: z.number().nonnegative(),
  /** The longest of these waits that ended in the hour or day, or is not over, from its beginning. */
  longestWaitMs: z.number().nonnegative(),
});
export type TurnBucket = z.infer<typeof TurnBucket>;
