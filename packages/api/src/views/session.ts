import { PermissionMode } from "@fairlead/contract";
import { z } from "zod";

/** A session in a line. */
export const SessionView = z.strictObject({
  session: z.string(),
  name: z.string().nullable(),
  agent: z.string(),
  /** The agent's name as people read it. */
  label: z.string(),
  workspace: z.string(),
  mode: PermissionMode,
  model: z.string().nullable(),
  /**
   * What it is doing, by evidence alone. `silent`, `stuck` and `input-closed` are turns in which the agent says
   * nothing, says nothing that means anything, or hears nothing any more; `lost` means that its keeper is gone and nobody has written down its end.
   */
  state: z.enum(["idle", "working", "waiting", "silent", "stuck", "input-closed", "paused", "ended", "lost"]),
  /** Since when it has been so. */
  since: z.iso.datetime(),
  /** Who drives: the agent under our eyes, or a person in the agent's own terminal. */
  lead: z.enum(["agent", "human"]),
  /** What keeps its processes together, if that is known. */
  containment: z.enum(["namespace", "descendants"]).nullable(),
  /** How it ended. */
  reason: z.string().nullable(),
  agentSessionId: z.string().nullable(),
  /** The session that it continues or was forked from. */
  continues: z.string().nullable(),
  /** The first message. */
  title: z.string(),
  turns: z.int().nonnegative(),
  /** The number of its newest event. */
  last: z.int().nonnegative(),
  /** Decisions that wait for an answer. */
  waitingFor: z.array(z.strictObject({ decision: z.string(), title: z.string(), since: z.iso.datetime() })),
  startedAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  /** In US dollars; null when the agent reports none. */
  cost: z.number().nullable(),
});
export type SessionView = z.infer<typeof SessionView>;
