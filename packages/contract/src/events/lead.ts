import { z } from "zod";

/**
 * The lead passed to a person in the agent's own terminal, or back to the agent. Messages typed in the terminal produce
 * no events, because Fairlead does not parse screens. The agent knows them afterwards.
 */
export const LeadChanged = z.strictObject({
  type: z.literal("lead.changed"),
  lead: z.enum(["human", "agent"]),
});
