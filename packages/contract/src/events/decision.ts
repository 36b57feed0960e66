import { z } from "zod";

/** A question with its options, as a person sees it. */
export const Question = z.strictObject({
  text: z.string(),
  options: z.array(z.strictObject({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** The agent waits until a person or a policy answers. */
export const DecisionRequested = z.strictObject({
  type: z.literal("decision.requested"),
  decision: z.string(),
  /** `approval` is about a tool call; `question` asks for a choice. */
  kind: z.enum(["approval", "question"]),
  title: z.string(),
  call: z.string().optional(),
  tool: z.string().optional(),
  input: z.unknown().optional(),
  questions: z.array(Question).optional(),
});

/** The only answer to a decision. `denied`, `timed-out` and `canceled` are different outcomes. */
export const DecisionResolved = z.strictObject({
  type: z.literal("decision.resolved"),
  decision: z.string(),
  outcome: z.enum(["allowed", "denied", "answered", "canceled", "timed-out"]),
  /** Source: a person, the permission mode, the agent (it withdrew), or the runtime (it closed the turn). */
  by: z.enum(["user", "mode", "agent", "runtime"]),
  /** The allowed input, if it differs from the requested one. */
  input: z.unknown().optional(),
  message: z.string().optional(),
  answers: z.record(z.string(), z.string()).optional(),
});
