import { z } from "zod";
import { ToolAction } from "./tool-action.ts";

/** The model requested a tool call. The tool has not run yet. */
export const ToolRequested = z.strictObject({
  type: z.literal("tool.requested"),
  /** The agent's own id of the call. All events of the call carry it. */
  call: z.string(),
  name: z.string(),
  input: z.unknown(),
  /** What the call does, as far as the adapter knows. Missing in older journals. */
  action: ToolAction.optional(),
  parent: z.string().optional(),
});

/** The tool runs. For agents that do not report the start, it comes directly before the end. A denied call has none. */
export const ToolStarted = z.strictObject({
  type: z.literal("tool.started"),
  call: z.string(),
  /**
   * `gated`: it was allowed before it started, by a person, a rule or the permission mode. `observed`: it was not asked
   * about. Written by the reducer. Missing in older journals.
   */
  enforcement: z.enum(["gated", "observed"]).optional(),
});

/** A tool is still running: what it has written since the last such event, how long it runs, or both. */
export const ToolProgressed = z.strictObject({
  type: z.literal("tool.progressed"),
  call: z.string(),
  /** May be empty or incomplete. The end of the call has the whole output. */
  output: z.string(),
  elapsedSeconds: z.number().nonnegative().optional(),
});

/** The call ended. Exactly one per request, whatever the outcome. */
export const ToolEnded = z.strictObject({
  type: z.literal("tool.ended"),
  call: z.string(),
  name: z.string(),
  ok: z.boolean(),
  output: z.string(),
  /** Why `ok` is false: the tool failed, was denied, was interrupted, or the agent died before it reported a result. */
  reason: z.enum(["failed", "denied", "interrupted", "unfinished"]).optional(),
});

/** A file of the workspace changed. */
export const FileChanged = z.strictObject({
  type: z.literal("file.changed"),
  /** As the agent names it. If Fairlead observed the change: relative to the workspace. */
  path: z.string(),
  change: z.enum(["created", "modified", "deleted"]),
  /** The call that changed the file, if one is known. */
  call: z.string().optional(),
  /**
   * How the change is known. `agent`, also if it is missing: the agent reported it. `transcript`: it is in the agent's
   * transcript of its own terminal. `observed`: Fairlead compared the workspace with its earlier state.
   */
  source: z.enum(["agent", "transcript", "observed"]).optional(),
  /**
   * What an observed change is attributed to. `call`: the only call that ran since the last comparison. `session`: one of
   * several calls of this session. `unknown`: no call ran, or another session was busy in the same folder. A person's edit
   * while a call runs cannot be told apart from the call's.
   */
  attribution: z.enum(["call", "session", "unknown"]).optional(),
});
