import { z } from "zod";
import { AgentEvent } from "./agent-event.ts";

/** One fact in a session's journal: what was said, in an envelope that says of whom, when and from where. */
export const Event = z.strictObject({
  /** Made of the session and the spool record that caused it, so that telling it again gives the same id. */
  id: z.string(),
  session: z.string(),
  /** Dense, from 1. Readers ask for "everything after n" and miss nothing. */
  sequence: z.int().positive(),
  /** Which owner of the session wrote it; it never goes back. */
  epoch: z.int().positive(),
  /** The turn it belongs to, if one was open. */
  turn: z.string().nullable(),
  /** Taken from the spool and not from the reader's clock, so that replay is deterministic. */
  occurredAt: z.iso.datetime(),
  /** The adapter, and the model if it is known: on every event, so that each can be attributed. */
  agent: z.string(),
  model: z.string().nullable(),
  /** The sequence number of the spool record that caused it. */
  spool: z.int().positive(),
  /** True when we said it and not the agent, as when we close what an agent left open by dying. */
  synthetic: z.boolean(),
  body: AgentEvent,
});
export type Event = z.infer<typeof Event>;

/** An event before the journal has given it its number and its owner. */
export type Draft = Omit<Event, "sequence" | "epoch">;
