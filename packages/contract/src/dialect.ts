import type { AgentEvent, Delta } from "./agent-event.ts";
import type { Exit } from "./record.ts";
import type { TerminalSize } from "./terminal-size.ts";
import type { Wish } from "./wish.ts";

/**
 * What an agent can be asked for. What it is to be told later is not among it: that comes with a `send`. Nor is passing
 * the lead: to the agent, that is a pause and a resume.
 */
export type Asked = Exclude<Wish, { type: "inject" | "take-over" | "hand-back" }>;

/** What an agent let us hear. Lines come without their line end; a line too long or not UTF-8 never gets here. */
export type Heard =
  | { readonly kind: "line"; readonly stream: "out" | "err"; readonly text: string }
  | { readonly kind: "launched" }
  | { readonly kind: "exited"; readonly exit: Exit }
  | { readonly kind: "alarm"; readonly name: string };

/** How to start a process. `env` comes on top of what the manifest lets through, and holds no secret. */
export interface LaunchLine {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** `none` gives the process an empty standard input, already at its end; `terminal` makes all its streams one terminal. */
  readonly stdin: "pipe" | "none" | "terminal";
  /** How large that terminal is, where it is one. */
  readonly size?: TerminalSize;
}

/** What a dialect wants done. It is carried out once, however often the spool is folded. */
export type Effect =
  | { readonly type: "launch"; readonly line: LaunchLine }
  /** Write to the newest process, as it stands: the dialect adds the line end. */
  | { readonly type: "say"; readonly text: string }
  /** Close the standard input of the newest process. */
  | { readonly type: "hangup" }
  /** Send a signal to the newest process. */
  | { readonly type: "signal"; readonly signal: "SIGINT" | "SIGTERM" }
  /** End the newest process and everything it started, with patience and then without. */
  | { readonly type: "kill" }
  /** Let me hear `alarm` of this name after so many milliseconds. Setting it again moves it. */
  | { readonly type: "alarm"; readonly name: string; readonly after: number }
  | { readonly type: "disarm"; readonly name: string };

/** What follows from one thing heard or wished. */
export interface Step<State> {
  readonly state: State;
  readonly events?: readonly AgentEvent[];
  readonly deltas?: readonly Delta[];
  readonly effects?: readonly Effect[];
}

/**
 * One agent's way of speaking: a pure function from what was heard and wished to events and effects. No clock, no
 * input or output, no `this`. The state is plain JSON, because it is stored and compared.
 *
 * Some events are not a dialect's to say, since they do not depend on the agent: `session.started`, `session.paused`,
 * `session.ended`, the resolution of a decision by an answer of ours, and the closing of what an agent leaves open.
 */
export interface Dialect<State> {
  readonly start: State;
  hear(state: State, heard: Heard): Step<State>;
  ask(state: State, wish: Asked): Step<State>;
}
