import { z } from "zod";
import { ToolAction } from "./tool-action.ts";

/** A question with its options, as a person sees it. */
export const Question = z.strictObject({
  text: z.string(),
  options: z.array(z.strictObject({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** The agent, or a connection of its processes, waits until a person or a policy answers. */
export const DecisionRequested = z.strictObject({
  type: z.literal("decision.requested"),
  decision: z.string(),
  /** `approval` is about a tool call; `question` asks for a choice; `network` is about a host that the gate holds. */
  kind: z.enum(["approval", "question", "network"]),
  title: z.string(),
  call: z.string().optional(),
  tool: z.string().optional(),
  input: z.unknown().optional(),
  /** What the call does, as far as the adapter knows. Missing in older journals. */
  action: ToolAction.optional(),
  questions: z.array(Question).optional(),
});

/**
 * Source of a resolution: a person or a program that acts for one (`person`), the permission mode, the agent (it withdrew
 * the request), the runtime (it closed the turn, or too many requests were open), a client that had no person to ask
 * (`unattended`), or a limit of the session that ended the turn.
 */
export const DecidedBy = z.strictObject({
  kind: z.enum(["person", "mode", "agent", "runtime", "unattended", "limit"]),
  /** The label of the access token, or the name of the local user. Missing where there is neither. */
  label: z.string().optional(),
});
export type DecidedBy = z.infer<typeof DecidedBy>;

/** The only answer to a decision. `denied`, `timed-out` and `canceled` are different outcomes. */
export const DecisionResolved = z.strictObject({
  type: z.literal("decision.resolved"),
  decision: z.string(),
  outcome: z.enum(["allowed", "denied", "answered", "canceled", "timed-out"]),
  /** Who resolved it. A request that an interrupt, a pause or a stop canceled was resolved by the sender of that command. */
  by: DecidedBy,
  /** The allowed input, if it differs from the requested one. */
  input: z.unknown().optional(),
  message: z.string().optional(),
  answers: z.record(z.string(), z.string()).optional(),
});
