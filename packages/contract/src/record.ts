import { z } from "zod";
import { ErrorCategory } from "./error-category.ts";
import { TranscriptFingerprint } from "./events/session.ts";
import { FileChanged } from "./events/tool.ts";
import { Opening } from "./opening.ts";
import { Command } from "./command.ts";
import { ModelPrice } from "./spending/model-price.ts";
import { ToolOutcome, ToolReport } from "./tools/tool-offer.ts";

/** Kinds of spool records. Input and output of an agent share one order. */
export const recordKinds = [
  "note",
  "launch",
  "in",
  "stdin-closed",
  "signal",
  "out",
  "err",
  "exit",
  "screen",
  "network",
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** One record of a spool: raw input or output of an agent, in order of occurrence. */
export interface SpoolRecord {
  /** Dense, from 1. */
  readonly seq: number;
  readonly kind: RecordKind;
  /** Number of the session's process, from 1; 0 if the record belongs to none. */
  readonly process: number;
  /** Wall clock, in milliseconds since 1970. */
  readonly at: number;
  /** Id of the keeper request that caused it; empty for output of the agent. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A position in an agent's transcript. */
export const TranscriptPosition = z.strictObject({
  bytes: z.int().nonnegative(),
  /** SHA-256 of the bytes before the position, at most 64 KiB of them: whether the transcript was only appended to. */
  digest: z.string(),
});
export type TranscriptPosition = z.infer<typeof TranscriptPosition>;

/** The end of what could be read of a transcript. */
export const TranscriptEnd = z.strictObject({
  /** Why nothing was read: the file is gone, does not continue the earlier one, or is not a readable regular file. */
  problem: z.enum(["missing", "rewritten", "unreadable"]).nullable(),
  /** Bytes that were left out because they are over the limit of a line or of the whole. */
  skippedBytes: z.int().nonnegative(),
  /** Conversations of the agent that began while a person led. They may have begun in the terminal. */
  otherConversations: z.array(z.string()),
});
export type TranscriptEnd = z.infer<typeof TranscriptEnd>;

/** A change that Fairlead observed in the workspace. */
export const ObservedChange = FileChanged.pick({ path: true, change: true, call: true }).extend({
  attribution: FileChanged.shape.attribution.unwrap(),
});
export type ObservedChange = z.infer<typeof ObservedChange>;

/**
 * Version of the rules by which the reducer accepts commands. Since version 2 it rejects a command that needs a
 * capability which the agent does not declare, and since version 3 one that is too large for the agent's input. Since
 * version 4 a message during a turn needs no capability. Since version 5 the queue of messages is limited, and the context
 * of queued messages counts as context that waits. Since version 6 a denial that no person gave may have a message that the
 * agent cannot receive: the journal has it. Since version 7 the resume of a conversation without a message opens another one,
 * because agents store none before its first message. Since version 8 a session that is resumed is not to leave its host any
 * more. A replay applies the rules of each note: an older version may have executed a command that would be rejected today, and
 * the journal has its events.
 */
export const commandRules = 8;

/** Content of a `note` record: not sent to the agent, but part of the same order. */
export const Note = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("opening"), opening: Opening }),
  z.strictObject({
    type: z.literal("command"),
    command: Command,
    /** The value of `commandRules` when the runtime wrote the note. Missing in spools older than the field. */
    rules: z.int().optional(),
  }),
  /** An alarm that the dialect or the reducer set went off. */
  z.strictObject({ type: z.literal("alarm"), name: z.string() }),
  /** The runtime fingerprinted the agent's transcript. */
  z.strictObject({ type: z.literal("transcript"), transcript: TranscriptFingerprint }),
  /** The runtime measured the agent's transcript before it opens the agent's own terminal. Null if there is none. */
  z.strictObject({ type: z.literal("terminal-opening"), transcript: TranscriptPosition.nullable() }),
  /** Whole lines that the transcript gained in the terminal: the bytes from `from` to `to`. The last part has an `end`. */
  z.strictObject({
    type: z.literal("terminal-transcript"),
    from: z.int().nonnegative(),
    to: z.int().nonnegative(),
    lines: z.array(z.string()),
    end: TranscriptEnd.optional(),
  }),
  /**
   * The runtime compared the workspace with its state at the last comparison. A note that does not continue from that one
   * has no effect.
   */
  z.strictObject({
    type: z.literal("files"),
    /** The git tree at the last comparison; null if there is none. */
    from: z.string().nullable(),
    /** The workspace with links resolved. Agents name files by either path. */
    root: z.string(),
    /** The git tree now, in the session's folder. Null if the files cannot be observed. */
    tree: z.string().nullable(),
    /** The last spool record that the runtime had processed when the comparison began. */
    upTo: z.int().nonnegative(),
    files: z.array(ObservedChange),
    /** Number of changed files that are not listed. */
    more: z.int().nonnegative(),
    /** What could not be observed, and why. */
    problem: z.string().optional(),
  }),
  /** The runtime looked for the price of a model whose cost counts towards a limit. Null if it is not known. */
  z.strictObject({
    type: z.literal("price"),
    provider: z.string(),
    model: z.string(),
    price: ModelPrice.nullable(),
    /** The day of the price list. */
    asOf: z.string(),
  }),
  /** A tool that Fairlead runs has ended. A note about a call that nobody waits for has no effect. */
  z.strictObject({
    type: z.literal("tool-result"),
    /** The record that requested it. */
    use: z.string(),
    outcome: ToolOutcome,
    text: z.string(),
    /** An event that the tool adds to the journal. */
    report: ToolReport.optional(),
  }),
  /** The keeper rejected an effect permanently: the agent was not launched, or did not get its input. */
  z.strictObject({ type: z.literal("rejected"), effect: z.enum(["launch", "write"]), message: z.string() }),
  /** The keeper died, so the agent's exit is unknown. Fairlead killed it if there is an `error`, which gives the reason. */
  z.strictObject({
    type: z.literal("lost"),
    error: z.strictObject({ category: ErrorCategory, message: z.string() }).optional(),
  }),
  /**
   * Another host drives the session now. The agent's process on the host before has ended, or ends before this note is
   * written. First record of the spool on the new host; its state comes from a snapshot.
   */
  z.strictObject({
    type: z.literal("moved"),
    /** How the session continues: with the agent's own memory, from the journal's messages, or not at all. */
    outcome: z.enum(["native", "rebuilt", "lost"]),
    /** Why it does not continue with the agent's memory, or does not continue. One sentence. */
    reason: z.string().optional(),
    /** The earlier conversation, for an agent that does not remember it. */
    context: z.array(z.string()).optional(),
  }),
]);
export type Note = z.infer<typeof Note>;
export type NoteOf<Type extends Note["type"]> = Extract<Note, { type: Type }>;

/** Content of an `exit` record. `error` is set if the process could not be started. */
export const Exit = z.strictObject({
  code: z.int().nullable(),
  signal: z.string().nullable(),
  error: z.string().optional(),
});
export type Exit = z.infer<typeof Exit>;
