import { z } from "zod";
import { TerminalSize } from "./terminal-size.ts";

/** An answer to a decision, in a form that does not depend on the agent. */
export const Answer = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("allow"), input: z.unknown().optional() }),
  z.strictObject({
    type: z.literal("deny"),
    message: z.string(),
    /** Also ends the turn. */
    interrupt: z.boolean().default(false),
  }),
  /** Maps the text of each question to the chosen label, or to free text. */
  z.strictObject({ type: z.literal("choose"), answers: z.record(z.string(), z.string()) }),
]);
export type Answer = z.infer<typeof Answer>;

/** A command to a session. The runtime appends it to the spool first and executes it when it reads the record. */
export const Command = z.discriminatedUnion("type", [
  /** Starts the agent. The first command of every session. */
  z.strictObject({ type: z.literal("open") }),
  /** Sends a message to the agent. The message becomes the turn of that name. */
  z.strictObject({ type: z.literal("send"), turn: z.string(), text: z.string() }),
  /** Sends text into the open turn. Only for agents that declare the capability `steer`. */
  z.strictObject({ type: z.literal("steer"), text: z.string() }),
  /** Queues context for the next message. The reducer keeps it until then; the dialect does not get this command. */
  z.strictObject({ type: z.literal("inject"), text: z.string() }),
  z.strictObject({
    type: z.literal("answer"),
    decision: z.string(),
    answer: Answer,
    by: z.enum(["user", "mode"]),
  }),
  /** Stops the open turn and keeps the session. */
  z.strictObject({ type: z.literal("interrupt") }),
  /** Ends the agent's process and keeps the conversation. */
  z.strictObject({ type: z.literal("pause") }),
  /** Continues a paused conversation in a new process. */
  z.strictObject({ type: z.literal("resume") }),
  /** Lets a person lead in the agent's own terminal. The agent's process ends first, as in a pause. */
  z.strictObject({ type: z.literal("take-over"), size: TerminalSize }),
  /** Ends that terminal. The agent continues the conversation and knows the messages of the terminal. */
  z.strictObject({ type: z.literal("hand-back") }),
  /** Ends the session permanently. */
  z.strictObject({ type: z.literal("end") }),
]);
export type Command = z.infer<typeof Command>;
export type CommandOf<Type extends Command["type"]> = Extract<Command, { type: Type }>;
