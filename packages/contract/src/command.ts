import { z } from "zod";
import { Brief } from "./brief.ts";
import { DecidedBy } from "./events/decision.ts";
import { SpendingLimits } from "./spending/spending-limits.ts";
import { TerminalSize } from "./terminal-size.ts";

/**
 * The digest of the request that was shown. The answer is refused with `conflict` if the open request has another digest:
 * the agent has replaced what was shown.
 */
const digest = z.string().optional();

/** An answer to a decision, in a form that does not depend on the agent. */
export const Answer = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("allow"),
    digest,
    input: z.unknown().optional(),
    /** Also allows what `reading.grants` of the request names: in this session, or from now on. */
    remember: z.enum(["session", "rule"]).optional(),
    /** The id of one of the agent's own options. */
    option: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("deny"),
    digest,
    message: z.string(),
    /** Also ends the turn. */
    interrupt: z.boolean().default(false),
    /** Set by a client that had no person to ask. The journal then does not name a person. */
    unattended: z.boolean().optional(),
  }),
  /** Maps the text of each question to the chosen label, or to free text. */
  z.strictObject({ type: z.literal("choose"), digest, answers: z.record(z.string(), z.string()) }),
]);
export type Answer = z.infer<typeof Answer>;

/** Who sends commands. The agent and the runtime do not: they resolve decisions by other means. */
const Sender = DecidedBy.extend({ kind: DecidedBy.shape.kind.extract(["person", "mode", "unattended", "policy"]) });
/** Who sent a command that cancels open decisions. Missing in older spools. */
const by = Sender.optional();

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
  /** Replaces the brief. The reducer sends it into the open turn, or with the next message; the dialect does not get this command. */
  z.strictObject({ type: z.literal("update-brief"), brief: Brief }),
  z.strictObject({
    type: z.literal("answer"),
    decision: z.string(),
    answer: Answer,
    by: Sender,
  }),
  /** Stops the open turn and keeps the session. */
  z.strictObject({ type: z.literal("interrupt"), by }),
  /** Ends the agent's process and keeps the conversation. */
  z.strictObject({
    type: z.literal("pause"),
    by,
    /** Waits until no turn is open and no person leads, and pauses the session as `moved`: another host is to continue it. */
    leaves: z.literal(true).optional(),
  }),
  /** Continues a paused conversation in a new process. */
  z.strictObject({
    type: z.literal("resume"),
    /** Only withdraws a pause with `leaves` that has not begun, so that the agent's process continues. */
    stays: z.literal(true).optional(),
  }),
  /** Changes limits of the session. Those that are missing stay as they are. */
  z.strictObject({
    type: z.literal("limit"),
    limits: SpendingLimits,
    /** Whether the sender may raise a limit. */
    mayRaise: z.boolean(),
    by,
  }),
  /** Lets a person lead in the agent's own terminal. The agent's process ends first, as in a pause. */
  z.strictObject({ type: z.literal("take-over"), size: TerminalSize, by }),
  /** Ends that terminal. The agent continues the conversation and knows the messages of the terminal. */
  z.strictObject({ type: z.literal("hand-back") }),
  /** Ends the session permanently. */
  z.strictObject({ type: z.literal("end"), by }),
]);
export type Command = z.infer<typeof Command>;
export type CommandOf<Type extends Command["type"]> = Extract<Command, { type: Type }>;
