import { z } from "zod";
import { AgentEvent } from "./agent-event.ts";

/** One fact in a session's journal: a body, and an envelope with session, order, time and source. */
export const Event = z.strictObject({
  /** Derived from the session and the spool record that caused it, so that a replay produces the same id. */
  id: z.string(),
  session: z.string(),
  /** Dense, from 1. A reader that asks for all events after n misses none. */
  sequence: z.int().positive(),
  /** Number of the session owner that wrote the event. It never decreases. */
  epoch: z.int().positive(),
  /** The turn that the event belongs to, or null if none was open. */
  turn: z.string().nullable(),
  /** Time of the spool record, not of the reader's clock, so that a replay is deterministic. */
  occurredAt: z.iso.datetime(),
  /** Id of the agent's adapter. Agent and model are on every event, so that each event can be attributed. */
  agent: z.string(),
  model: z.string().nullable(),
  /** Sequence number of the spool record that caused the event. */
  spool: z.int().positive(),
  /** True if the runtime wrote the event and not the agent, for example to close the turn of an agent that died. */
  synthetic: z.boolean(),
  body: AgentEvent,
});
export type Event = z.infer<typeof Event>;

/** An event before the journal assigns its sequence number and epoch. */
export type EventDraft = Omit<Event, "sequence" | "epoch">;
