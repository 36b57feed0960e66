import { TokenCounts, UsageReported } from "@fairlead/contract";
import { z } from "zod";

/** The usage of one model by one session. */
export const UsageView = z.strictObject({
  session: z.string(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  tokens: TokenCounts,
  cost: z.number().nullable(),
  /** The least certain provenance of all reports in the sum. */
  provenance: UsageReported.shape.provenance,
});
export type UsageView = z.infer<typeof UsageView>;
