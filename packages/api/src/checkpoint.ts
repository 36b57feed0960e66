import { Brief, PermissionMode, Sandbox, SpendingLimits, Spent } from "@fairlead/contract";
import { z } from "zod";

export const checkpointSchemaId = "fairlead-checkpoint/2";

/** The state that is needed to continue a session, on this machine or another one with the same conversation. No secrets. */
export const Checkpoint = z.strictObject({
  /** The name and version of this format, so that later readers can recognize it. */
  schema: z.literal(checkpointSchemaId),
  session: z.string(),
  /** The sequence of the newest event that the checkpoint includes. */
  sequence: z.int().nonnegative(),
  takenAt: z.iso.datetime(),
  agent: z.string(),
  agentVersion: z.string().nullable(),
  /** The agent's id for the conversation; null until the agent reports one. */
  agentSessionId: z.string().nullable(),
  workspace: z.string(),
  mode: PermissionMode,
  /** What the agent's processes can reach. Missing in older checkpoints, whose sessions have no sandbox. */
  sandbox: Sandbox.pick({ kind: true, workspace: true, network: true }).exactOptional(),
  /** What the session may use in all, and what it has used. Missing without a limit, and in older checkpoints. */
  limits: SpendingLimits.exactOptional(),
  spent: Spent.exactOptional(),
  /** The brief of the session. Missing if it has none, and in older checkpoints. */
  brief: Brief.exactOptional(),
  settings: z.record(z.string(), z.unknown()),
  /** The names of secret settings, which are left out. Restoring the checkpoint elsewhere needs their values. */
  secretSettings: z.array(z.string()).optional(),
  model: z.string().nullable(),
  state: z.string(),
  /** The open turn. */
  turn: z.string().nullable(),
  /** The open decisions. */
  decisions: z.array(z.string()),
  /** Texts that wait for the next message: injected context, and a changed brief. */
  injected: z.array(z.string()),
  /** The messages that wait for their turns, in order. Missing in older checkpoints. */
  queued: z.array(z.string()).optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
