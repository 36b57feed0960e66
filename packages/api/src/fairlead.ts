import type { Answer, Delta, Event, TerminalSize } from "@fairlead/contract";
import type { Checkpoint } from "./checkpoint.ts";
import type { Fork, Resume, Start } from "./orders.ts";
import type { AgentView } from "./views/agent.ts";
import type { DecisionView } from "./views/decision.ts";
import type { Diff, FileView } from "./views/file.ts";
import type { Health } from "./views/health.ts";
import type { SessionView } from "./views/session.ts";
import type { UsageView } from "./views/usage.ts";

/** What goes with a command. */
export interface CommandOptions {
  /**
   * Makes the command one, however often it is sent: a repeated key answers with the first result, also after the
   * service was killed in between. The same key with another command is refused with `conflict`; where nobody can know
   * any more whether it was done, that is said with `indeterminate`.
   */
  readonly key?: string;
  /** For whoever may not approve of anything: what would ask nobody is not begun. Said by the guard, not by callers. */
  readonly cautious?: boolean;
  readonly signal?: AbortSignal;
}

export interface ReadingOptions {
  /** Everything after this number; 0 for all. */
  readonly after?: number;
  /** Go on with what comes, until the session ends. */
  readonly follow?: boolean;
  /** Let text on its way through as well, while following. */
  readonly deltas?: boolean;
  /** Aborting ends the reading quietly. */
  readonly signal?: AbortSignal;
}

/**
 * What Fairlead does for whoever asks. Every face (command line, web page, shim, editor) is written against this, and
 * against nothing else; in the same process or over a wire, it is the same. A session may be named by its id, by the
 * name it was given, or by the beginning of its id. Whatever goes wrong is thrown as a `FairleadError`.
 */
export interface Fairlead {
  health(): Promise<Health>;
  /** Every agent that is known, and what was found of it on this machine. */
  agents(): Promise<readonly AgentView[]>;

  start(order: Start, options?: CommandOptions): Promise<SessionView>;
  /** All sessions, the newest activity first. */
  sessions(): Promise<readonly SessionView[]>;
  session(session: string): Promise<SessionView>;
  /**
   * A session's events in their order, without a gap and without a double: history first, then what comes. It does not
   * end when the service is restarted; over a wire it connects again and goes on from the last number.
   */
  events(session: string, options?: ReadingOptions): AsyncIterable<Event | Delta>;

  /** Says something to the agent; gives the name of the turn that it becomes. A paused session is resumed for it. */
  send(session: string, text: string, options?: CommandOptions): Promise<{ readonly turn: string }>;
  /** Says something into the turn that is going on; `not-supported` where the agent cannot hear it. */
  steer(session: string, text: string, options?: CommandOptions): Promise<void>;
  /** Has the agent told something with the next message, whoever sends that. */
  inject(session: string, text: string, options?: CommandOptions): Promise<void>;
  answer(session: string, decision: string, answer: Answer, options?: CommandOptions): Promise<void>;
  /** Stops the turn, keeps the session. */
  interrupt(session: string, options?: CommandOptions): Promise<void>;
  /** Lets the agent's process go and keeps the conversation; gives what it takes to go on. */
  pause(session: string, options?: CommandOptions): Promise<Checkpoint>;
  /** The same account of a session, without stopping anything. */
  checkpoint(session: string): Promise<Checkpoint>;
  /** Takes a paused conversation up again; of an ended one, starts a session that continues it. */
  resume(session: string, order?: Resume, options?: CommandOptions): Promise<SessionView>;
  /** Starts a session that shares the conversation so far, and goes its own way from there. */
  fork(session: string, order?: Fork, options?: CommandOptions): Promise<SessionView>;
  /** Ends the session; everything that happened in it is kept. */
  stop(session: string, options?: CommandOptions): Promise<SessionView>;
  /**
   * Forgets a session that has ended, and everything that happened in it; `conflict` for one that has not. What its
   * agent keeps for itself, and what stands in the workspace, is not ours to remove.
   */
  forget(session: string, options?: CommandOptions): Promise<void>;

  /**
   * Lets a person lead in the agent's own terminal; what that shows comes as deltas of the type `screen`. If a person
   * leads already, all of it is drawn again.
   */
  takeOver(session: string, size: TerminalSize, options?: CommandOptions): Promise<void>;
  /** Types into that terminal: at most once, and nowhere written down. */
  type(session: string, text: string): Promise<void>;
  /** Makes that terminal as large as this. */
  resize(session: string, size: TerminalSize): Promise<void>;
  /** Ends that terminal; the agent leads again. */
  handBack(session: string, options?: CommandOptions): Promise<void>;

  /** Everything that waits for an answer, in all sessions. */
  decisions(): Promise<readonly DecisionView[]>;
  /** The files that the agent has changed, by its own account. */
  files(session: string): Promise<readonly FileView[]>;
  /** What has changed in the workspace since its last commit, as a patch. */
  diff(session: string): Promise<Diff>;
  /** What was used, by session and model; of one session or of all. */
  usage(session?: string): Promise<readonly UsageView[]>;
}
