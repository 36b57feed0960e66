import { z } from "zod";
import { TerminalSize } from "./terminal-size.ts";

/** The answer to a decision, before it is put into an agent's words. */
export const Answer = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("allow"), input: z.unknown().optional() }),
  z.strictObject({
    type: z.literal("deny"),
    message: z.string(),
    /** Also end the turn. */
    interrupt: z.boolean().default(false),
  }),
  /** From the text of each question to the chosen label, or to words of one's own. */
  z.strictObject({ type: z.literal("choose"), answers: z.record(z.string(), z.string()) }),
]);
export type Answer = z.infer<typeof Answer>;

/** What somebody wants of a session. A wish is recorded in the spool first and acted upon when it is read there. */
export const Wish = z.discriminatedUnion("type", [
  /** Start. The first wish of every session. */
  z.strictObject({ type: z.literal("open") }),
  /** Say something to the agent; it becomes the turn of that name. */
  z.strictObject({ type: z.literal("send"), turn: z.string(), text: z.string() }),
  /** Say something into the turn that is going on. Only for agents that declare it. */
  z.strictObject({ type: z.literal("steer"), text: z.string() }),
  /** Have the agent told this with the next message, whoever sends that. No agent is asked: the fold keeps it until then. */
  z.strictObject({ type: z.literal("inject"), text: z.string() }),
  z.strictObject({
    type: z.literal("answer"),
    decision: z.string(),
    answer: Answer,
    by: z.enum(["user", "mode"]),
  }),
  /** Stop the turn, keep the session. */
  z.strictObject({ type: z.literal("interrupt") }),
  /** Let the agent's process go; keep the conversation. */
  z.strictObject({ type: z.literal("pause") }),
  /** Take a paused conversation up again. */
  z.strictObject({ type: z.literal("resume") }),
  /** Let a person lead, in the agent's own terminal; the agent's process is let go as in a pause. */
  z.strictObject({ type: z.literal("take-over"), size: TerminalSize }),
  /** End that terminal; the conversation goes on with the agent, which knows what was said there. */
  z.strictObject({ type: z.literal("hand-back") }),
  /** End the session for good. */
  z.strictObject({ type: z.literal("end") }),
]);
export type Wish = z.infer<typeof Wish>;
export type WishOf<Type extends Wish["type"]> = Extract<Wish, { type: Type }>;
