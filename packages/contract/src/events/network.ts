import { z } from "zod";
import { NetworkRecord } from "../network.ts";

/**
 * A connection of the agent's processes was allowed or refused. Of equal verdicts in one turn, only the first is an event;
 * the spool has all.
 */
export const NetworkJudged = z.strictObject({
  type: z.literal("network.judged"),
  ...NetworkRecord.shape,
  verdict: NetworkRecord.shape.verdict.exclude(["held"]),
  /** What made the verdict effective: the gate of the sandbox. */
  enforcedBy: z.enum(["gate"]),
});
