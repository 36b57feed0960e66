import { z } from "zod";
import { Brief } from "../brief.ts";
import { Continuation, IsolatedCopy, ParentSession } from "../opening.ts";
import { PermissionMode } from "../permission-mode.ts";
import { PolicySummary } from "../policy/session-policy.ts";
import { RoomName, Rooms } from "../rooms/rooms.ts";
import { Sandbox } from "../sandbox.ts";
import { SpendingLimits } from "../spending/spending-limits.ts";

/** Fingerprint of the agent's own transcript of a conversation. */
export const TranscriptFingerprint = z.strictObject({
  bytes: z.int().nonnegative(),
  /** SHA-256 of those bytes. */
  digest: z.string(),
  /** Whether the transcript still begins with the bytes that it had at the last resume. */
  extends: z.boolean(),
});
export type TranscriptFingerprint = z.infer<typeof TranscriptFingerprint>;

/**
 * How a session continued: from the agent's own memory (`native`), from a copy that the agent made of it (`forked`),
 * from Fairlead's journal (`rebuilt`), or without the earlier messages (`fresh`).
 */
export const ResumeOutcome = z.enum(["native", "forked", "rebuilt", "fresh"]);
export type ResumeOutcome = z.infer<typeof ResumeOutcome>;

/** The first event of every session, written before any process starts. */
export const SessionStarted = z.strictObject({
  type: z.literal("session.started"),
  /** The session's name, if it has one. Null in journals older than session names. */
  name: z.string().nullable().default(null),
  agent: z.string(),
  adapterVersion: z.string(),
  /** Version of the agent's program, from the probe. */
  agentVersion: z.string().nullable(),
  /** The adapter's name for the protocol it will use: the best one that the probe found. */
  protocol: z.string(),
  /** Flags of the agent's program, from the probe. */
  flags: z.array(z.string()),
  workspace: z.string(),
  mode: PermissionMode,
  /** Set if this session continues the conversation of another session. */
  continues: Continuation.nullable(),
  /** What the agent's processes can reach. Missing in older journals, whose sessions have no sandbox. */
  sandbox: Sandbox.optional(),
  /** What the session may use in all. Missing if it has no limit. */
  limits: SpendingLimits.optional(),
  /** The policy of the session. Missing if it has none, and in older journals. */
  policy: PolicySummary.optional(),
  /** The rooms of the workspace. Missing if it has none, and in older journals. */
  rooms: Rooms.optional(),
  /** The room that the session works in. Missing if it was started without one. */
  room: RoomName.optional(),
  /** The brief of the session. Missing if it has none, and in older journals. */
  brief: Brief.optional(),
  /** The names of the tools that Fairlead runs for the agent. Missing if it is offered none, and in older journals. */
  tools: z.array(z.string()).optional(),
  /** Set if the agent of another session started this one. */
  parent: ParentSession.optional(),
  /** Set if the workspace is an isolated copy of a person's folder. */
  copy: IsolatedCopy.optional(),
});

/** A property of the session became known or changed. `agentSessionId` is the agent's own id of the conversation. */
export const SessionChanged = z.strictObject({
  type: z.literal("session.changed"),
  agentSessionId: z.string().optional(),
  model: z.string().optional(),
  mode: PermissionMode.optional(),
  /** How the keeper contains the agent's processes: a namespace, which none can leave, or a walk of descendants. */
  containment: z.enum(["namespace", "descendants"]).optional(),
  /** Fingerprint of the agent's transcript, to prove that a resume continued from it. */
  transcript: TranscriptFingerprint.optional(),
  /** All limits of the session, after a command changed some. */
  limits: SpendingLimits.optional(),
});

/**
 * The agent's process ended between turns. The conversation can be resumed. `asked`: by a command. `idle`: no client came
 * back. `budget`: a limit of the session is reached, and must be raised before a resume. `quota`: a quota of the agent's account
 * is used up. `moved`: the session leaves its host, or lost it, and the process that drives it next resumes it.
 */
export const SessionPaused = z.strictObject({
  type: z.literal("session.paused"),
  reason: z.enum(["asked", "idle", "budget", "quota", "moved"]),
  /** When the session continues without a command: the announced reset of the quota. Missing if it does not. */
  until: z.iso.datetime().optional(),
});

/**
 * A command ended the pause, and the agent's process starts. `session.resumed` follows when the outcome is proven, which
 * for some agents is after the next message.
 */
export const SessionUnpaused = z.strictObject({
  type: z.literal("session.unpaused"),
});

/**
 * The conversation continues after a pause, or as the continuation or fork of another session. The event is written
 * only after the outcome is proven. `rebuilt` and `fresh` need no proof, but the caller's consent, unless there is nothing
 * to forget.
 */
export const SessionResumed = z.strictObject({
  type: z.literal("session.resumed"),
  outcome: ResumeOutcome,
  agentSessionId: z.string().nullable(),
});

/** The last event of every session, once, even after a crash. */
export const SessionEnded = z.strictObject({
  type: z.literal("session.ended"),
  /** `stopped`: by a command. `finished`: the agent exited cleanly. `failed`: after an error that it reported.
   * `crashed`: it died without a report. `lost`: the keeper died first, or Fairlead killed it, so the exit is unknown. */
  reason: z.enum(["stopped", "finished", "failed", "crashed", "lost"]),
  exit: z.strictObject({ code: z.int().nullable(), signal: z.string().nullable() }).nullable(),
});
