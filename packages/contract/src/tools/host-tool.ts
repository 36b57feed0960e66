import type { SpendingLimits } from "../spending/spending-limits.ts";
import type { ToolOffer, ToolResult } from "./tool-offer.ts";

/** What a tool knows of a call. */
export interface ToolContext {
  readonly session: string;
  /** The agent's id of the call. The agent may use it again after a resume. */
  readonly call: string;
  /**
   * Names the call: the session and the spool record that requested it. After a crash the tool may run again with the same
   * key, so it makes its effect under this key: it looks whether the effect exists before it makes it.
   */
  readonly key: string;
  readonly workspace: string;
  /** What the session may use in all. Missing if it has no limit. */
  readonly limits?: SpendingLimits;
  /** Aborted when nobody waits for the result any more: the turn was interrupted, or the session was released. */
  readonly signal: AbortSignal;
}

/** A tool that Fairlead runs in its own process when an agent calls it. */
export interface HostTool {
  readonly offer: ToolOffer;
  /** Runs the tool. Does not throw: what went wrong is in the result, for the agent to read. */
  use(input: unknown, context: ToolContext): Promise<ToolResult>;
}
