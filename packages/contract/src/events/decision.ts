import { z } from "zod";

/** One question with its options, as shown to a person. */
export const Question = z.strictObject({
  text: z.string(),
  options: z.array(z.strictObject({ label: z.string(), description: z.string().optional() })),
  several: z.boolean(),
});
export type Question = z.infer<typeof Question>;

/** Something a person or a policy must answer before the agent can go on. */
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

/** The one answer to a decision. `timed-out` is not `denied`, and `canceled` is neither. */
export const DecisionResolved = z.strictObject({
  type: z.literal("decision.resolved"),
  decision: z.string(),
  outcome: z.enum(["allowed", "denied", "answered", "canceled", "timed-out"]),
  /** Who answered: a person, the permission mode, the agent by withdrawing, or the runtime by closing. */
  by: z.enum(["user", "mode", "agent", "runtime"]),
  /** The input that was allowed, when it differs from the one that was asked about. */
  input: z.unknown().optional(),
  message: z.string().optional(),
  answers: z.record(z.string(), z.string()).optional(),
});
