import { z } from "zod";
import { Continuation } from "../opening.ts";
import { PermissionMode } from "../permission-mode.ts";

/** A fingerprint of the agent's own record of a conversation. */
export const Transcript = z.strictObject({
  bytes: z.int().nonnegative(),
  /** SHA-256 of those bytes. */
  digest: z.string(),
  /** Whether the record that was there at the last resume is still its beginning. */
  extends: z.boolean(),
});
export type Transcript = z.infer<typeof Transcript>;

/**
 * How a session came back: still attached, by the agent's own memory, in a copy of that which the agent made, rebuilt
 * from our journal, or anew with consent.
 */
export const ResumeOutcome = z.enum(["attached", "native", "forked", "rebuilt", "fresh"]);
export type ResumeOutcome = z.infer<typeof ResumeOutcome>;

/** The first event of every session, and only the first. It says what is about to be started, before anything is. */
export const SessionStarted = z.strictObject({
  type: z.literal("session.started"),
  /** What people call it, if they gave it a name; journals from before there were names do not say. */
  name: z.string().nullable().default(null),
  agent: z.string(),
  adapterVersion: z.string(),
  /** The version the agent's own program gave when it was probed. */
  agentVersion: z.string().nullable(),
  /** The way in which it will be spoken to, by the adapter's name for it: the best that probing has found. */
  protocol: z.string(),
  /** The flags of its program that probing has found. */
  flags: z.array(z.string()),
  workspace: z.string(),
  mode: PermissionMode,
  /** Set when this session goes on with the conversation of another one. */
  continues: Continuation.nullable(),
});

/** A property of the session became known or changed. `agentSessionId` is the agent's own id of the conversation. */
export const SessionChanged = z.strictObject({
  type: z.literal("session.changed"),
  agentSessionId: z.string().optional(),
  model: z.string().optional(),
  mode: PermissionMode.optional(),
  /** What keeps the agent's processes together: a namespace, which none can leave, or only the walk of descendants. */
  containment: z.enum(["namespace", "descendants"]).optional(),
  /** The agent's own record of the conversation, as it was found: to prove that a resume went on from it. */
  transcript: Transcript.optional(),
});

/** The agent's process was let go between turns; the conversation is kept and can be resumed. */
export const SessionPaused = z.strictObject({
  type: z.literal("session.paused"),
  reason: z.enum(["asked", "idle"]),
});

/**
 * The conversation goes on, after a pause or as the continuation or fork of another session. An outcome is stated only once it
 * has been proven, or, where there is nothing to prove (`rebuilt`, `fresh`), once it has been consented to.
 */
export const SessionResumed = z.strictObject({
  type: z.literal("session.resumed"),
  outcome: ResumeOutcome,
  agentSessionId: z.string().nullable(),
});

/** The last event of every session, once, even after a crash. */
export const SessionEnded = z.strictObject({
  type: z.literal("session.ended"),
  /** `stopped` was asked for; `finished` is the agent's own clean exit; `failed` follows an error it told of;
   * `crashed` is a death without a word; `lost` means that nobody saw how it ended. */
  reason: z.enum(["stopped", "finished", "failed", "crashed", "lost"]),
  exit: z.strictObject({ code: z.int().nullable(), signal: z.string().nullable() }).nullable(),
});
