import { DecisionRequested } from "@fairlead/contract";
import { z } from "zod";

/** An open decision. */
export const DecisionView = z.strictObject({
  ...DecisionRequested.omit({ type: true }).shape,
  session: z.string(),
  agent: z.string(),
  since: z.iso.datetime(),
  /** The digest of the request. An answer that contains it is refused if the open request is another one. */
  digest: z.string(),
  /**
   * Whether a person may have read another request: an earlier one was withdrawn, or resolved without a person, since a
   * person last resolved one.
   */
  replaces: z.boolean(),
});
export type DecisionView = z.infer<typeof DecisionView>;
