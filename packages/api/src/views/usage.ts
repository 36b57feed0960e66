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
