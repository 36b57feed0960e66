import { DecisionRequested } from "@fairlead/contract";
import { z } from "zod";

/** An open decision. */
export const DecisionView = z.strictObject({
  ...DecisionRequested.omit({ type: true }).shape,
  session: z.string(),
  agent: z.string(),
  since: z.iso.datetime(),
});
export type DecisionView = z.infer<typeof DecisionView>;
