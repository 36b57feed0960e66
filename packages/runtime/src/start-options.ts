import type { Continuation, PermissionMode } from "@fairlead/contract";

export interface StartOptions {
  readonly agent: string;
  readonly workspace: string;
  /** What people call it; no other session that has not ended may have the same. */
  readonly name?: string;
  /** Its id, where whoever starts it again must come upon the same session; a new one unless told. */
  readonly session?: string;
  readonly mode?: PermissionMode;
  readonly settings?: unknown;
  /** The session whose conversation is to go on. */
  readonly continues?: Continuation;
  /** What the agent is to be told with the first message. */
  readonly injected?: readonly string[];
}
