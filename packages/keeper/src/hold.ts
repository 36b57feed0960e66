import type { ChildProcess } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import type { Exit, LaunchLine } from "@fairlead/contract";
import type { Terminal } from "./terminal.ts";

/** What is started: a launch line, with the environment as the process will find it. */
export interface Launch {
  readonly line: LaunchLine;
  readonly env: Readonly<Record<string, string>>;
  /** What of the environment tells this process and all that it starts from others, each as `NAME=value`. */
  readonly marks: readonly string[];
  /** The terminal that its three streams are to be, if they are one. */
  readonly terminal: Terminal | null;
}

/** The three streams of what is launched, and more if need be. */
export function streamsOf({ line, terminal }: Launch, ...more: "pipe"[]): StdioOptions {
  if (terminal !== null) return terminal.streams(more);
  return [line.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe", ...more];
}

/** A process that was started, and a grip on everything that it starts. */
export interface Hold {
  /** Whose streams are the agent's, and whose end is the agent's end. */
  readonly child: ChildProcess;
  /** Whether the agent lives but nobody is left who could read what is written to it. False when in doubt. */
  isDeaf(): boolean;
  /** Sends a signal to the agent itself. */
  signal(signal: NodeJS.Signals): void;
  /** Begins to end everything, with patience and then without. Settles when no more can be done. */
  kill(): Promise<void>;
  /** Ends, after the child's own end, what is left of the rest. Settles when nothing is, or no more can be done. */
  sweep(): Promise<void>;
  /** What the child's end tells of the agent's. To be asked after the sweep. */
  explain(exit: Exit): Exit;
}
