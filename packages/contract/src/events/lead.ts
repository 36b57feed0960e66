import { z } from "zod";

/**
 * The lead passed to a person in the agent's own terminal, or back to the agent. `delegated`: the agent of another session
 * started this one and sends its messages; people can do so, too. Fairlead does not parse screens. For
 * agents with the capability `recorded-take-over`, the turns of the terminal come from the agent's own transcript and are
 * written before the lead passes back. The agent knows them afterwards.
 */
export const LeadChanged = z.strictObject({
  type: z.literal("lead.changed"),
  lead: z.enum(["human", "agent", "delegated"]),
});
