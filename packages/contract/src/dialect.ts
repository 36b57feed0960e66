import type { AgentEvent, Delta } from "./agent-event.ts";
import type { Exit } from "./record.ts";
import type { TerminalSize } from "./terminal-size.ts";
import type { Command, CommandOf } from "./command.ts";
import type { ToolResult } from "./tools/tool-offer.ts";

/**
 * A command that a dialect handles. `inject`, `update-brief` and `limit` are not among them: the reducer sends injected context with the
 * next `send`, and keeps limits itself. Nor are `take-over` and `hand-back`: a dialect gets them as `pause` and `resume`.
 */
export type AgentCommand =
  | Exclude<Command, { type: "inject" | "update-brief" | "limit" | "take-over" | "hand-back" | "answer" }>
  | AgentAnswer;

/** An answer, with what it answers. */
export interface AgentAnswer extends CommandOf<"answer"> {
  /**
   * The input of the request, as the journal shows it. A reply that contains an input is made from this, not from what the
   * dialect remembers: only this was shown. Missing for a request that an older version recorded.
   */
  readonly shown?: unknown;
}

/**
 * An input from the agent's side. Lines have no line end. The reducer filters out overlong and non-UTF-8 lines, and empty
 * ones unless the conversation observes them. `unterminated` is set on a last line that had no line end.
 */
export type Observation =
  | { readonly kind: "line"; readonly stream: "out" | "err"; readonly text: string; readonly unterminated?: true }
  | { readonly kind: "launched" }
  | { readonly kind: "exited"; readonly exit: Exit }
  | { readonly kind: "alarm"; readonly name: string }
  | ToolResultObservation;

/** A tool that a `use` effect named has run, or was refused. The agent waits for its result. */
export interface ToolResultObservation extends ToolResult {
  readonly kind: "tool-result";
  /** As in the effect. */
  readonly request: string;
  readonly call: string;
}

/** How to start a process. `env` is added to the variables that the manifest passes on. It contains no secret. */
export interface LaunchCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** `none`: an empty standard input, already at its end. `terminal`: all streams are one pseudo-terminal. */
  readonly stdin: "pipe" | "none" | "terminal";
  /** Size of the terminal, if `stdin` is `terminal`. */
  readonly size?: TerminalSize;
}

/** A side effect that a session requests. The runtime executes it once, however often it replays the spool. */
export type Effect =
  | { readonly type: "launch"; readonly command: LaunchCommand }
  /**
   * Writes the text unchanged to the newest process. The dialect adds the line end. With `resolves`, references to secrets in
   * the text are replaced by their values, which are recorded nowhere.
   */
  | { readonly type: "write"; readonly text: string; readonly resolves?: true }
  /** Closes the standard input of the newest process. */
  | { readonly type: "close-stdin" }
  /** Sends a signal to the newest process. */
  | { readonly type: "signal"; readonly signal: "SIGINT" | "SIGTERM" }
  /** Ends the newest process and all its descendants: asks first, then kills after a grace period. */
  | { readonly type: "kill" }
  /** Requests an `alarm` observation of this name after this many milliseconds. Setting it again moves it. */
  | { readonly type: "alarm"; readonly name: string; readonly after: number }
  | { readonly type: "disarm"; readonly name: string }
  /**
   * Runs one of the tools in the opening, if the session's policy allows it. A `tool-result` observation follows. `request`
   * is what the dialect needs to answer the agent, and `call` the call of the tool.
   */
  | {
      readonly type: "use";
      readonly request: string;
      readonly call: string;
      readonly tool: string;
      readonly input: unknown;
    }
  /** Answers a connection that the gate of the sandbox holds. Only the reducer requests it. */
  | { readonly type: "network"; readonly host: string; readonly port: number; readonly allow: boolean };

/** The result of one observation or command. */
export interface Transition<State> {
  readonly state: State;
  readonly events?: readonly AgentEvent[];
  readonly deltas?: readonly Delta[];
  readonly effects?: readonly Effect[];
}

/** Lines of an agent's own transcript that a person's work in its terminal added. */
export interface TranscriptPart {
  readonly lines: readonly string[];
  /** Whether no more lines follow. The dialect then ends the turn that is open, and its calls end with it. */
  readonly isLast: boolean;
}

/**
 * Translation of one agent's protocol: pure functions from observations and commands to events and effects. No clock,
 * no I/O, no `this`. The state is plain JSON, because the runtime stores and compares it.
 *
 * The reducer writes the events that do not depend on the agent: `session.started`, `session.paused`, `session.ended`,
 * the resolution of a decision by a command, and the closing events of scopes that the agent leaves open.
 */
export interface Dialect<State> {
  readonly initialState: State;
  observe(state: State, observation: Observation): Transition<State>;
  handle(state: State, command: AgentCommand): Transition<State>;
  /**
   * Converts lines of the agent's transcript to the turns that took place in its terminal, with origin `terminal` and
   * source `transcript`. Usage that the agent later repeats in running totals must not be reported again. Lines that are
   * not part of a turn are dropped. The reducer runs no effect of it.
   */
  readTranscript?(state: State, part: TranscriptPart): Transition<State>;
}
