import type { CallerOptions, Fairlead, SessionView, StartRequest } from "@fairlead/api";
import type { ToolContext } from "@fairlead/contract";

/** What the session tools use of Fairlead. No method of it answers a decision, opens a terminal, or changes a limit. */
export type SessionToolsPort = Pick<
  Fairlead,
  "start" | "send" | "stop" | "session" | "sessions" | "events" | "files" | "diff"
>;

export interface SessionToolsOptions {
  /**
   * Starts a session. It may narrow the request, or refuse it by an error, whose message the agent reads. Default: `start` of
   * Fairlead, with the key of the call.
   */
  readonly start?: (request: StartRequest, context: ToolContext) => Promise<SessionView>;
  /** Returns why the caller may not use a session, for the agent to read, or null. Default: it may use every session. */
  readonly mayUse?: (session: SessionView, context: ToolContext) => string | null | Promise<string | null>;
  /**
   * Who runs the commands. Default: a caller who may not approve, so that people answer for a session that a tool starts, and
   * a tool makes no session act that runs without approvals. A client of a daemon does not send it: there, the connection
   * decides who runs the commands.
   */
  readonly caller?: CallerOptions;
  /**
   * Whether `start_session` takes what the caller may narrow or divide: a sandbox, limits, and whether the new agent starts
   * sessions, too. It takes no workspace then. `start` must refuse what is more than the caller has.
   */
  readonly delegates?: boolean;
  /** Whether `start_session` takes a workspace. Otherwise a session works in the workspace of the call. */
  readonly takesWorkspace?: boolean;
}

/** What each of the tools is made of. */
export interface SessionToolParts {
  readonly fairlead: SessionToolsPort;
  readonly caller: CallerOptions;
  /** Finds a session by its id, its name or a prefix of its id. Throws if there is none, or the caller may not use it. */
  readonly find: (session: string, context: ToolContext) => Promise<SessionView>;
  readonly mayUse: NonNullable<SessionToolsOptions["mayUse"]>;
  readonly start: NonNullable<SessionToolsOptions["start"]>;
  readonly takesWorkspace: boolean;
  readonly delegates: boolean;
}
