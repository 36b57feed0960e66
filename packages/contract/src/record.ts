import { z } from "zod";
import { Transcript } from "./events/session.ts";
import { Opening } from "./opening.ts";
import { Wish } from "./wish.ts";

/** What a spool record can be. What was said and what was heard stand in one order. */
export const recordKinds = ["note", "launch", "in", "hangup", "signal", "out", "err", "exit", "screen"] as const;
export type RecordKind = (typeof recordKinds)[number];

/** One record of a spool: what passed between an agent and the world, raw, in the order in which it did. */
export interface SpoolRecord {
  /** Dense, from 1. */
  readonly seq: number;
  readonly kind: RecordKind;
  /** Which of the session's processes, counted from 1; 0 when none is meant. */
  readonly process: number;
  /** Wall clock, in milliseconds since 1970. */
  readonly at: number;
  /** The id of the frame that asked for it; empty for what was heard. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** What a `note` holds: never delivered to the agent, but part of the one order. */
export const Note = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("opening"), opening: Opening }),
  z.strictObject({ type: z.literal("wish"), wish: Wish }),
  /** An alarm that a dialect had set has gone off. */
  z.strictObject({ type: z.literal("alarm"), name: z.string() }),
  /** What the agent's own record of the conversation was found to be. */
  z.strictObject({ type: z.literal("transcript"), transcript: Transcript }),
  /** The keeper is gone, and nobody saw how the agent ended. */
  z.strictObject({ type: z.literal("lost") }),
]);
export type Note = z.infer<typeof Note>;

/** What an `exit` holds. `error` is set when the process could not even be started. */
export const Exit = z.strictObject({
  code: z.int().nullable(),
  signal: z.string().nullable(),
  error: z.string().optional(),
});
export type Exit = z.infer<typeof Exit>;
