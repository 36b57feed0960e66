import { z } from "zod";

/**
 * What a tool call does, in words that do not depend on the agent. `run`: executes a command. `edit`: creates, changes or
 * deletes files. `read`: reads files. `search`: looks for files or text. `fetch`: gets something from another host.
 * `other`: anything else, also what the adapter does not know.
 */
export const ToolActionKind = z.enum(["run", "edit", "read", "search", "fetch", "other"]);
export type ToolActionKind = z.infer<typeof ToolActionKind>;

/** A tool call as its adapter understands it. Fields that it does not know are missing. */
export const ToolAction = z.strictObject({
  kind: ToolActionKind,
  /** The shell text of a `run`. */
  command: z.string().optional(),
  /** The folder in which the command runs, if the call names one. */
  folder: z.string().optional(),
  /** The files and folders of an `edit`, a `read` or a `search`, as the agent names them. */
  paths: z.array(z.string()).optional(),
  /** The hosts of a `fetch`. */
  hosts: z.array(z.string()).optional(),
  /**
   * Set on a call of a tool that Fairlead runs, which the session was started with. `reads`: it changes nothing outside the
   * session. `acts`: it may.
   */
  offered: z.enum(["reads", "acts"]).optional(),
  /** Set if the call does more than these fields say, or the adapter cannot tell. */
  incomplete: z.literal(true).optional(),
});
export type ToolAction = z.infer<typeof ToolAction>;
