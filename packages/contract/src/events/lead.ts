import { z } from "zod";

/**
 * The lead has passed: to a person, who drives in the agent's own terminal, or back to the agent. What is said in the
 * terminal is not told by events, since meaning is not read from screens; the agent knows it afterwards.
 */
export const LeadChanged = z.strictObject({
  type: z.literal("lead.changed"),
  lead: z.enum(["human", "agent"]),
});
