import type { Continuation, PermissionMode } from "@fairlead/contract";

export interface StartOptions {
  readonly agent: string;
  readonly workspace: string;
  /** Name for people. No two open sessions may have the same name. */
  readonly name?: string;
  /** Id of the session, so that a repeated start finds the same session. Random by default. */
  readonly session?: string;
  readonly mode?: PermissionMode;
  readonly settings?: unknown;
  /** The session whose conversation this one continues. */
  readonly continues?: Continuation;
  /** Context to send with the first message. */
  readonly injected?: readonly string[];
  /** The first messages, in order. */
  readonly queued?: readonly string[];
}
