import { errorCodes } from "@fairlead/contract";
import { z } from "zod";

/** The kind of a job that takes a session over from a host that was lost, or that released it. */
export const moveJobKind = "move";

/** What a gateway or a leaving host puts into the queue of a pool. */
export const MoveJob = z.strictObject({
  session: z.string(),
  /** The ids of hosts that could not take the session, for example without its workspace. */
  refusedBy: z.array(z.string()),
});
export type MoveJob = z.infer<typeof MoveJob>;

/** What a host stores as the outcome of a move. */
export const MoveOutcome = z.strictObject({
  /** `arrived`: the host drives the session. `kept`: there was nothing to move. Missing if it could not. */
  arrival: z.enum(["arrived", "kept"]).optional(),
  host: z.string(),
  problem: z.strictObject({ code: z.enum(errorCodes), message: z.string() }).optional(),
});
export type MoveOutcome = z.infer<typeof MoveOutcome>;

/**
 * The key of a job. Of several gateways that notice the loss of a host, one job is done. Its outcome is stored for a week, so
 * that each round of attempts needs keys of its own.
 */
export function moveJobKey(session: string, epoch: number, attempt: number, round = 0): string {
  return `move ${session} ${epoch} ${attempt}${round === 0 ? "" : ` ${round}`}`;
}
