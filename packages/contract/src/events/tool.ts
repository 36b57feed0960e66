import { z } from "zod";

/** The model asked for a tool. Nothing has been done yet. */
export const ToolRequested = z.strictObject({
  type: z.literal("tool.requested"),
  /** The agent's own id of the call; the later events of this call carry it too. */
  call: z.string(),
  name: z.string(),
  input: z.unknown(),
  parent: z.string().optional(),
});

/** The tool really ran. Agents that do not say when give it together with the end; a refused call never has one. */
export const ToolStarted = z.strictObject({
  type: z.literal("tool.started"),
  call: z.string(),
});

/** Output of a tool that is still running. */
export const ToolProgressed = z.strictObject({
  type: z.literal("tool.progressed"),
  call: z.string(),
  output: z.string(),
});

/** The call is over: once per request, whatever became of it. */
export const ToolEnded = z.strictObject({
  type: z.literal("tool.ended"),
  call: z.string(),
  name: z.string(),
  ok: z.boolean(),
  output: z.string(),
  /** Why it is not ok: it ran and failed, was refused, was interrupted, or the agent died before saying. */
  reason: z.enum(["failed", "denied", "interrupted", "unfinished"]).optional(),
});

/** A file of the workspace was changed by a tool, as the agent itself tells it. */
export const FileChanged = z.strictObject({
  type: z.literal("file.changed"),
  path: z.string(),
  change: z.enum(["created", "modified", "deleted"]),
  call: z.string().optional(),
});
