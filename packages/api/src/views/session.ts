import {
  Brief,
  Capability,
  IsolatedCopy,
  limitKinds,
  ParentSession,
  PermissionMode,
  Sandbox,
  SessionPaused,
  SpendingLimits,
  ToolActionKind,
} from "@fairlead/contract";
import { z } from "zod";
import { UsageView } from "./usage.ts";

/** What the agent of a session does, in one line. Text of the agent: it may say anything. */
export const ActivityView = z.strictObject({
  /** What the newest open tool call does. Without one, `text` or `reasoning`: the agent wrote or reasoned last. */
  kind: z.enum([...ToolActionKind.options, "text", "reasoning"]),
  /** The command, the paths, the hosts or the name of the tool, or the beginning of the text. At most 120 characters. */
  text: z.string(),
});
export type ActivityView = z.infer<typeof ActivityView>;

/** How many events a session had in each minute up to its newest event. */
export const RecentEvents = z.strictObject({
  /** The beginning of the newest minute. The ones before it end there. */
  newest: z.iso.datetime(),
  /** One number for each minute, the newest one last. At most 16. */
  counts: z.array(z.int().nonnegative()),
});
export type RecentEvents = z.infer<typeof RecentEvents>;

/** The summary of a session. */
export const SessionView = z.strictObject({
  session: z.string(),
  name: z.string().nullable(),
  agent: z.string(),
  /** The agent's display name. */
  label: z.string(),
  /** Version of the agent's program, if known. */
  agentVersion: z.string().nullable(),
  /** What the agent can do in this session. Empty if its adapter is gone. */
  capabilities: z.array(Capability),
  workspace: z.string(),
  /** The room of the workspace that the session was started in, if any. */
  room: z.string().nullable(),
  /** The current brief, if the session has one. */
  brief: Brief.optional(),
  /** The session whose agent started this one. Missing if a person or a program did. */
  parent: ParentSession.optional(),
  /** Set if the workspace is an isolated copy: the person's folder, and the branch and first commit of the copy. */
  copy: IsolatedCopy.optional(),
  mode: PermissionMode,
  model: z.string().nullable(),
  /**
   * The state according to events and observed output. During a turn, `silent` means no output, `stuck` means output
   * without events, and `input-closed` means that the agent no longer reads its input. `lost` means that the keeper is gone
   * and the journal has no end of the session. `damaged` means that the session cannot be driven, because a part of its
   * files cannot be read; it can be stopped and forgotten.
   */
  state: z.enum([
    "idle",
    "working",
    "waiting",
    "silent",
    "stuck",
    "input-closed",
    "paused",
    "ended",
    "lost",
    "damaged",
  ]),
  /** Why the service cannot drive or read the session now, as a sentence; null if there is no problem. */
  problem: z.string().nullable(),
  /** Why a paused session is paused: by a command, without a client, or at a limit. Null in other states. */
  pauseReason: SessionPaused.shape.reason.nullable(),
  /** When a paused session continues without a command: the reset of a quota. Null if it does not, and in other states. */
  pausedUntil: z.iso.datetime().nullable(),
  /** What the session may use in all; null without a limit. */
  limits: SpendingLimits.nullable(),
  /** The kinds of limits of which at least 80 % is used. Empty for a session that is paused, has ended, or is not driven. */
  nearLimits: z.array(z.enum(limitKinds)),
  /** The start of the current state. */
  since: z.iso.datetime(),
  /**
   * Who controls the session: Fairlead, through the agent's protocol (`agent`), a person in the agent's terminal, or the agent
   * of another session (`delegated`).
   */
  lead: z.enum(["agent", "human", "delegated"]),
  /** How the keeper contains the agent's processes, if known. */
  containment: z.enum(["namespace", "descendants"]).nullable(),
  /** What the kernel lets the agent's processes reach. `none`: everything that its user can reach. */
  sandbox: Sandbox.pick({ kind: true, workspace: true, network: true, credential: true }),
  /** The process id of the agent, if it runs and is known. */
  pid: z.int().nullable(),
  /** The reason for its end. */
  reason: z.string().nullable(),
  agentSessionId: z.string().nullable(),
  /** The session that this one continues or was forked from. */
  continues: z.string().nullable(),
  /** The title of the brief, or else the first message. */
  title: z.string(),
  turns: z.int().nonnegative(),
  /** How the last turn ended; null if none has ended. `limited`: a limit stopped it. */
  lastOutcome: z.enum(["completed", "interrupted", "failed", "limited"]).nullable(),
  /** The number of messages that wait for their turns. A paused session keeps them until it is resumed. */
  queued: z.int().nonnegative(),
  /** The sequence of the newest event. */
  last: z.int().nonnegative(),
  /** The open decisions. */
  waitingFor: z.array(z.strictObject({ decision: z.string(), title: z.string(), since: z.iso.datetime() })),
  /** What the agent does now; null if it is not in a turn, or has done nothing in it yet. */
  activity: ActivityView.nullable(),
  /**
   * How many files have changed, as the agent reported it or Fairlead observed it; null if no change is known. It stays at
   * 500 if more have changed. Lines are null where they are not known.
   */
  changes: z
    .strictObject({
      files: z.int().nonnegative(),
      added: z.int().nonnegative().nullable(),
      removed: z.int().nonnegative().nullable(),
    })
    .nullable(),
  /** The number of all tokens that the agent reported: uncached, read from and written to the cache, and output. */
  tokens: z.int().nonnegative(),
  /** For a chart of its activity; null for a session without events that can be read. */
  recentEvents: RecentEvents.nullable(),
  startedAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  /** In US dollars; null if the agent reports no cost. */
  cost: z.number().nullable(),
  /**
   * What the tokens without a reported cost cost at list prices, in addition to `cost`; null if there are none, or no price
   * is known. Only in lists of sessions: the usage of one session has it by model.
   */
  estimate: UsageView.shape.estimate.optional(),
});
export type SessionView = z.infer<typeof SessionView>;
