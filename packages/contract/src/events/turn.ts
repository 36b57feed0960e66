import { z } from "zod";
import { Brief } from "../brief.ts";

/** The agent started to process a message. All events until the matching `turn.ended` belong to this turn. */
export const TurnStarted = z.strictObject({
  type: z.literal("turn.started"),
  turn: z.string(),
  /** The message, exactly as sent. Empty if the agent started the turn without a message. */
  input: z.string(),
  /** `terminal`: a person typed it in the agent's own terminal. */
  origin: z.enum(["user", "agent", "terminal"]),
  /** Set if the turn was read from the agent's own transcript after it happened. Its events have the time of the reading. */
  source: z.literal("transcript").optional(),
});

/** The agent accepted text that was sent into the open turn. */
export const TurnSteered = z.strictObject({
  type: z.literal("turn.steered"),
  turn: z.string(),
  text: z.string(),
});

/** The agent finished the turn, or gave up. No scope of the turn remains open. */
export const TurnEnded = z.strictObject({
  type: z.literal("turn.ended"),
  turn: z.string(),
  /** `limited`: a limit that Fairlead set, such as the number of steps, ended the turn. */
  outcome: z.enum(["completed", "interrupted", "failed", "limited"]),
});

/** A text that is too long for one event ends in parts. They follow each other; joined, they are the text. */
const partFields = {
  text: z.string(),
  /** The number of the part, from 1. Missing if the event has the whole text. */
  part: z.int().positive().optional(),
  /** Set on the last part. */
  last: z.literal(true).optional(),
};

/** A complete text of the agent, or a part of a long one. The deltas before it, joined, are exactly this text. */
export const TextEnded = z.strictObject({
  type: z.literal("text.ended"),
  ...partFields,
  /** The tool call of the sub-agent that wrote the text, if one did. */
  parent: z.string().optional(),
});

/** A complete piece of the agent's reasoning, as far as the vendor shows it, or a part of a long one. */
export const ReasoningEnded = z.strictObject({
  type: z.literal("reasoning.ended"),
  ...partFields,
  parent: z.string().optional(),
});

/** The agent's complete plan, each time it changes. */
export const PlanUpdated = z.strictObject({
  type: z.literal("plan.updated"),
  steps: z.array(z.strictObject({ text: z.string(), state: z.enum(["pending", "active", "done"]) })),
});

/** Context that the reducer sends with the next message of any client. */
export const ContextInjected = z.strictObject({
  type: z.literal("context.injected"),
  text: z.string(),
});

/**
 * A command changed the brief of the session to this one. The agent gets it in the open turn, if it can, or with the next
 * message.
 */
export const BriefUpdated = z.strictObject({
  type: z.literal("brief.updated"),
  brief: Brief,
});

/** The agent compacted its own memory of the conversation. */
export const ContextCompacted = z.strictObject({
  type: z.literal("context.compacted"),
  trigger: z.enum(["asked", "automatic"]),
});
