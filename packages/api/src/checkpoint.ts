import { PermissionMode } from "@fairlead/contract";
import { z } from "zod";

export const checkpointSchema = "fairlead-checkpoint/2";

/** What it takes to go on with a session, here or where the same conversation is known; it holds no secret. */
export const Checkpoint = z.strictObject({
  /** The name and version of this form, so that whoever reads it in a year knows what it is. */
  schema: z.literal(checkpointSchema),
  session: z.string(),
  /** The newest event that it knows of. */
  sequence: z.int().nonnegative(),
  takenAt: z.iso.datetime(),
  agent: z.string(),
  agentVersion: z.string().nullable(),
  /** The agent's own name for the conversation; null if it has none yet. */
  agentSessionId: z.string().nullable(),
  workspace: z.string(),
  mode: PermissionMode,
  settings: z.record(z.string(), z.unknown()),
  model: z.string().nullable(),
  state: z.string(),
  /** The turn that was going on. */
  turn: z.string().nullable(),
  /** Decisions that were open. */
  decisions: z.array(z.string()),
  /** What the agent is to be told with the next message. */
  injected: z.array(z.string()),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
