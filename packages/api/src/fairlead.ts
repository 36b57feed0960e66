import type { Answer, Brief, Delta, ReadEvent, TerminalSize } from "@fairlead/contract";
import type { Checkpoint } from "./checkpoint.ts";
import type { EventReadOptions } from "./event-read-options.ts";
import type { RunRequestInput } from "./foreman/plan.ts";
import type { RunEventPage, RunEventQuery } from "./foreman/run-event.ts";
import type { RunCheck, RunListQuery, RunPage, RunView } from "./foreman/run-view.ts";
import type { ForkRequest, ResumeRequest, StartRequest } from "./requests.ts";
import type { SessionPage, SessionQuery } from "./session-query.ts";
import type { AgentView } from "./views/agent.ts";
import type { BroughtBranch } from "./views/brought-branch.ts";
import type { DecisionView } from "./views/decision.ts";
import type { Diff, DiffQuery, FileView } from "./views/file.ts";
import type { Health } from "./views/health.ts";
import type { OverviewFrame } from "./views/overview.ts";
import type { SessionView } from "./views/session.ts";
import type { SearchPage, SearchQuery } from "./views/search.ts";
import type { TurnPage, TurnQuery } from "./views/turns.ts";
import type { TurnBucket, UsageBucket, UsageHistoryQuery, UsageView } from "./views/usage.ts";

/** The caller of a command, as the server identified it. */
export interface Caller {
  /** Identifies the caller's token; null for the owner of the data directory. */
  readonly id: string | null;
  /** The label of the caller's token. */
  readonly label: string;
}

/** What the server knows about a caller, for the methods that can make an agent act. Without it, the caller is the owner. */
export interface CallerOptions {
  readonly caller?: Caller;
  /**
   * Set by the server when the caller lacks the `approve` scope: refuses to start a session that would run without
   * approvals, and to make the agent of such a session act.
   */
  readonly approvalsRequired?: boolean;
  /**
   * Set by the server when the caller may reach only some workspaces: throws `not-allowed` for another one. It is called
   * with the workspace of the session before a command on that session is executed, but not if the command was executed
   * before and only its stored outcome is returned: the session may be gone, or its name may belong to another one.
   */
  readonly assertWorkspace?: (workspace: string) => void;
}

/** Options of every command. */
export interface CommandOptions extends CallerOptions {
  /**
   * The idempotency key. A command with a repeated key is not executed again: it returns the first result, even if the
   * service was killed in between. Throws `conflict` if the key was used for another command, and `indeterminate` if the
   * service cannot determine whether the command was executed. The keys of two callers are independent.
   */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

export interface OverviewOptions {
  /** The `position` of a frame. Yields only what has changed since, or the whole state if that is not known any more. */
  readonly after?: string;
  /** When it aborts, the iteration returns without an error. */
  readonly signal?: AbortSignal;
}

/**
 * The product's interface. Every user interface (command line, web page, shim, editor) uses only this. It behaves the
 * same in one process and over a connection. The parameter `session` accepts an id, a name or a prefix of an id. All
 * methods throw `FairleadError`.
 */
export interface Fairlead {
  health(): Promise<Health>;
  /** Lists all agents with the result of probing them on this machine. */
  agents(): Promise<readonly AgentView[]>;

  start(request: StartRequest, options?: CommandOptions): Promise<SessionView>;
  /** Returns a page of sessions, newest activity first. `listSessions` yields the sessions of all pages. */
  sessions(query?: SessionQuery): Promise<SessionPage>;
  session(session: string): Promise<SessionView>;
  /**
   * Follows all open sessions, the newest ended ones and the open decisions: first their current state, then changes, in at
   * most four frames a second. Yields a frame every two seconds if nothing changes, which shows that the state is current.
   * A restart of the service does not end the iteration: a remote client reconnects and continues after the last position.
   */
  overview(options?: OverviewOptions): AsyncIterable<OverviewFrame>;
  /**
   * Reads a session's events in order, without gaps or duplicates: first the history, then new events. A restart of the
   * service does not end the iteration: a remote client reconnects and continues after the last sequence.
   */
  events(session: string, options?: EventReadOptions): AsyncIterable<ReadEvent | Delta>;

  /**
   * Returns an outline of a session: a page of its turns, in their order. Without `before`, the page has the newest turns.
   * Its cost does not depend on the number of events, except of the first call for a session.
   */
  turns(session: string, query?: TurnQuery): Promise<TurnPage>;

  /**
   * Finds a text in what a person sees of a session, the newest events first. Returns before it has searched the whole session
   * if that takes long: a caller that wants more passes `next` as `before`, also after a page without a match.
   */
  search(session: string, query: SearchQuery): Promise<SearchPage>;

  /** Sends a message to the agent and returns the id of its turn. Resumes a paused session first. */
  send(session: string, text: string, options?: CommandOptions): Promise<{ readonly turn: string }>;
  /** Sends a message into the running turn. Throws `not-supported` if the agent cannot receive it. */
  steer(session: string, text: string, options?: CommandOptions): Promise<void>;
  /** Queues context to send with the next message of any caller. */
  inject(session: string, text: string, options?: CommandOptions): Promise<void>;
  /**
   * Replaces the brief of a session, also of one that had none. An agent with the capability `steer` gets it in the running
   * turn, all others with the next message. Throws `invalid-request` if it names another room than that of the session.
   */
  updateBrief(session: string, brief: Brief, options?: CommandOptions): Promise<void>;
  /** Answers a decision of a session, or of a run by its id. */
  answer(session: string, decision: string, answer: Answer, options?: CommandOptions): Promise<void>;
  /**
   * Interrupts the running turn, keeps the session and returns the id of the turn. The agent may need time to end it: its
   * `turn.ended` follows.
   */
  interrupt(session: string, options?: CommandOptions): Promise<{ readonly turn: string }>;
  /** Ends the agent's process, keeps the conversation and returns a checkpoint. */
  pause(session: string, options?: CommandOptions): Promise<Checkpoint>;
  /** Returns the checkpoint of a session without pausing it. */
  checkpoint(session: string): Promise<Checkpoint>;
  /**
   * Resumes a paused session. For an ended one, starts a new session that continues the conversation under the same name.
   * Throws `not-supported` if the agent cannot continue it, unless the request accepts another outcome.
   */
  resume(session: string, request?: ResumeRequest, options?: CommandOptions): Promise<SessionView>;
  /**
   * Starts a session with a copy of the conversation so far. Throws `not-supported` if the agent cannot copy it, unless the
   * request accepts another outcome.
   */
  fork(session: string, request?: ForkRequest, options?: CommandOptions): Promise<SessionView>;
  /**
   * Fetches the commits of an isolated session into the person's repository, as a branch of the same name. Merges nothing.
   * Throws `not-supported` if the session is not isolated, and `conflict` if the person's branch has other commits.
   */
  bring(session: string, options?: CommandOptions): Promise<BroughtBranch>;
  /** Ends the session and keeps its events. */
  stop(session: string, options?: CommandOptions): Promise<SessionView>;
  /**
   * Deletes an ended session and all its events. Throws `conflict` if the session has not ended. Does not delete the
   * agent's own files or files in the workspace.
   */
  forget(session: string, options?: CommandOptions): Promise<void>;

  /**
   * Opens the agent's own terminal for a person. Its screen is streamed as deltas of type `screen`. If the terminal is
   * already open, the agent redraws the whole screen.
   */
  takeOver(session: string, size: TerminalSize, options?: CommandOptions): Promise<void>;
  /**
   * Types into the agent's terminal, at most once. The text is not stored. Throws `input-full`, and types nothing, while
   * the program has not read what was typed before. Then the same text can be typed again later.
   */
  type(session: string, text: string, options?: CallerOptions): Promise<void>;
  /** Resizes the agent's terminal. */
  resize(session: string, size: TerminalSize): Promise<void>;
  /** Closes the agent's terminal and returns control to the agent. */
  handBack(session: string, options?: CommandOptions): Promise<void>;

  /** Lists the open decisions of all sessions and runs. */
  decisions(): Promise<readonly DecisionView[]>;
  /** Lists the files that changed in a session: what the agent reported, and what Fairlead observed. */
  files(session: string): Promise<readonly FileView[]>;
  /** Returns the changes in the workspace since the session started, committed or not, or of one turn, as a patch. */
  diff(session: string, query?: DiffQuery): Promise<Diff>;
  /** Returns the usage by session and model, of one session or of all. */
  usage(session?: string): Promise<readonly UsageView[]>;
  /**
   * Returns the usage of all sessions in a range of time, by hour or day, agent, model and workspace. Reads the index and no
   * session. Throws `invalid-request` for a range above 31 days by hour, or 400 by day.
   */
  usageHistory(query: UsageHistoryQuery): Promise<readonly UsageBucket[]>;
  /** Returns the ended turns and the time in which requests waited, by hour or day, agent and workspace. */
  turnHistory(query: UsageHistoryQuery): Promise<readonly TurnBucket[]>;

  /** Starts a run of several agents. Throws `invalid-request` with all problems of the plan. */
  startRun(request: RunRequestInput, options?: CommandOptions): Promise<RunView>;
  /** Says what prevents a run of a plan, and which agents would do the work. Starts nothing. */
  checkRun(request: RunRequestInput): Promise<RunCheck>;
  /** Returns a page of runs, newest activity first. */
  runs(query?: RunListQuery): Promise<RunPage>;
  /** Returns a run by its id or a unique beginning of it. */
  run(run: string): Promise<RunView>;
  /** Reads events of a run, and waits for the first one if the query says so. */
  runEvents(query: RunEventQuery): Promise<RunEventPage>;
  /** Cancels a run, its sessions and its open decision. Does nothing if it has ended. */
  cancelRun(request: { readonly run: string }, options?: CommandOptions): Promise<RunView>;
}
