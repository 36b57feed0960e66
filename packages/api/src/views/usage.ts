import { Tokens, UsageReported } from "@fairlead/contract";
import { z } from "zod";

/** What one session used of one model. */
export const UsageView = z.strictObject({
  session: z.string(),
  agent: z.string(),
  provider: z.string(),
  model: z.string(),
  tokens: Tokens,
  cost: z.number().nullable(),
  /** The weakest of the reports that it is the sum of. */
  provenance: UsageReported.shape.provenance,
});
export type UsageView = z.infer<typeof UsageView>;
