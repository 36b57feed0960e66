import { z } from "zod";
import { TranscriptFingerprint } from "./events/session.ts";
import { Opening } from "./opening.ts";
import { Command } from "./command.ts";

/** Kinds of spool records. Input and output of an agent share one order. */
export const recordKinds = ["note", "launch", "in", "stdin-closed", "signal", "out", "err", "exit", "screen"] as const;
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

/** Content of a `note` record: not sent to the agent, but part of the same order. */
export const Note = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("opening"), opening: Opening }),
  z.strictObject({ type: z.literal("command"), command: Command }),
  /** An alarm that the dialect or the reducer set went off. */
  z.strictObject({ type: z.literal("alarm"), name: z.string() }),
  /** The runtime fingerprinted the agent's transcript. */
  z.strictObject({ type: z.literal("transcript"), transcript: TranscriptFingerprint }),
  /** The keeper died, so the agent's exit is unknown. */
  z.strictObject({ type: z.literal("lost") }),
]);
export type Note = z.infer<typeof Note>;

/** Content of an `exit` record. `error` is set if the process could not be started. */
export const Exit = z.strictObject({
  code: z.int().nullable(),
  signal: z.string().nullable(),
  error: z.string().optional(),
});
export type Exit = z.infer<typeof Exit>;
