import { z } from "zod";

/** The agent has taken up a message. Everything until the matching `turn.ended` belongs to this turn. */
export const TurnStarted = z.strictObject({
  type: z.literal("turn.started"),
  turn: z.string(),
  /** The message, exactly as it was sent; empty when the agent began by itself. */
  input: z.string(),
  origin: z.enum(["user", "agent"]),
});

/** Something was said into the turn while it was going on, and the agent has taken it up. */
export const TurnSteered = z.strictObject({
  type: z.literal("turn.steered"),
  turn: z.string(),
  text: z.string(),
});

/** The agent has answered, or will not. Closes everything that the turn opened. */
export const TurnEnded = z.strictObject({
  type: z.literal("turn.ended"),
  turn: z.string(),
  /** `limited` means that a limit we set (such as the number of steps) stopped it. */
  outcome: z.enum(["completed", "interrupted", "failed", "limited"]),
});

/** A whole piece of text that the agent said. The deltas before it, joined, are exactly this text. */
export const TextEnded = z.strictObject({
  type: z.literal("text.ended"),
  text: z.string(),
  /** The tool call in which it was said, when a sub-agent said it. */
  parent: z.string().optional(),
});

/** A whole piece of the agent's thinking, as far as the vendor shows it. */
export const ReasoningEnded = z.strictObject({
  type: z.literal("reasoning.ended"),
  text: z.string(),
  parent: z.string().optional(),
});

/** The agent's list of what it means to do, whole, each time it changes. */
export const PlanUpdated = z.strictObject({
  type: z.literal("plan.updated"),
  steps: z.array(z.strictObject({ text: z.string(), state: z.enum(["pending", "active", "done"]) })),
});

/** Something that the agent will be told with the next message, whoever sends that. */
export const ContextInjected = z.strictObject({
  type: z.literal("context.injected"),
  text: z.string(),
});

/** The agent shortened its own memory of the conversation. */
export const ContextCompacted = z.strictObject({
  type: z.literal("context.compacted"),
  trigger: z.enum(["asked", "automatic"]),
});
