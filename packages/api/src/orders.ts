import { Answer, Continuation, PermissionMode } from "@fairlead/contract";
import { z } from "zod";

/** A session to be started. What is left out is chosen by the workspace's `fairlead.yaml`, the environment, the default. */
export const Start = z.strictObject({
  agent: z.string().optional(),
  /** An absolute path. */
  workspace: z.string(),
  /** What people call it; unique among the sessions that have not ended. */
  name: z
    .string()
    .regex(/^[a-z][\w.-]{0,63}$/i)
    .optional(),
  mode: PermissionMode.optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  /** The first message, if there is one already. */
  prompt: z.string().optional(),
});
export type Start = z.infer<typeof Start>;

export const Resume = z.strictObject({
  /** `rebuilt` and `fresh` are consent to less than the agent's own memory. */
  outcome: Continuation.shape.outcome.unwrap().optional(),
});
export type Resume = z.infer<typeof Resume>;

export const Fork = z.strictObject({ name: Start.shape.name, workspace: z.string().optional() });
export type Fork = z.infer<typeof Fork>;

export const Say = z.strictObject({ text: z.string().min(1) });
export type Say = z.infer<typeof Say>;

/** Names the decision in the body and not in the path: its name is the agent's own, and may hold any letter. */
export const Decide = z.strictObject({ decision: z.string(), answer: Answer });
export type Decide = z.infer<typeof Decide>;
