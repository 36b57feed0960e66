import type { ChildProcess, StdioOptions } from "node:child_process";
import type { Exit, LaunchCommand, Sandbox } from "@fairlead/contract";
import type { Target } from "../gate/judge-host.ts";
import type { GateLinkOptions } from "../gate/gate-link.ts";
import type { PreparedGates } from "../gate/prepared-gates.ts";
import type { ProcessFreezer } from "./process-freezer.ts";
import type { Terminal } from "./terminal.ts";

/** A launch command with the complete environment of the process. */
export interface LaunchSpec {
  readonly command: LaunchCommand;
  readonly env: Readonly<Record<string, string>>;
  /** Environment entries, as `NAME=value`, that identify this process and everything it starts. */
  readonly envMarkers: readonly string[];
  /** What the process can reach. `spec.command.cwd` is the workspace. */
  readonly sandbox: Sandbox;
  /** What the gate of the sandbox uses. */
  readonly network: Omit<GateLinkOptions, "gate" | "env"> & { readonly gates?: PreparedGates };
  /** The terminal for stdin, stdout and stderr, if the process runs in one. */
  readonly terminal: Terminal | null;
}

/** Returns the `stdio` option for a launch: the three standard streams, followed by `extraStreams`. */
export function stdioFor({ command, terminal }: LaunchSpec, ...extraStreams: ("pipe" | "ipc")[]): StdioOptions {
  if (terminal !== null) return terminal.stdio(extraStreams);
  return [command.stdin === "pipe" ? "pipe" : "ignore", "pipe", "pipe", ...extraStreams];
}

/** A started process, with control over everything that it starts. */
export interface ContainedProcess {
  /** The child process whose streams are the agent's and which exits when the agent does. It may be a wrapper. */
  readonly child: ChildProcess;
  /** Whether the agent is alive but no process has its stdin open. False when in doubt. */
  isStdinClosed(): boolean;
  /** Answers whether the agent may connect to a target, if it has a gate. */
  answerNetwork(target: Target, isAllowed: boolean): void;
  /** Sends a signal to the agent itself. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the agent and everything it started: SIGTERM, then SIGKILL. Settles when both have been tried. */
  kill(): Promise<void>;
  /** Ends the agent and everything it started by SIGKILL. Settles when that has been tried. */
  killAtOnce(): Promise<void>;
  /** Stops the agent and everything it started, or continues it. */
  readonly freezer: ProcessFreezer;
  /**
   * After the child has exited, ends what the agent left behind. Settles when nothing is left or SIGKILL had no effect.
   */
  sweep(): Promise<void>;
  /** Derives the agent's exit from the child's. Call it after `sweep`. */
  interpretExit(exit: Exit): Exit;
}
