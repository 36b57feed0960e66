import type { Exit, LaunchCommand, NetworkRecord, Sandbox } from "@fairlead/contract";
import type { KeeperClock } from "../keeper-clock.ts";
import type { Target } from "../gate/judge-host.ts";
import type { PreparedGates } from "../gate/prepared-gates.ts";
import type { Containment } from "./containment.ts";
import type { Terminal } from "./terminal.ts";

/** One process that a keeper has launched, together with everything that the process starts. */
export interface LaunchedProcess {
  /** Settles when the process has exited, all its output is recorded and nothing it started is left. Never rejects. */
  readonly ended: Promise<Exit>;
  /** The terminal that the process runs in, if it has one. */
  readonly terminal: Terminal | null;
  write(text: string): void;
  closeStdin(): void;
  /** Answers whether the process may connect to a target, if its sandbox has a gate. */
  answerNetwork(target: Target, isAllowed: boolean): void;
  /** Sends a signal to the process alone. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process and everything it started: SIGTERM, then SIGKILL. `ended` settles a little later. */
  kill(): Promise<void>;
  /** Ends the process and everything it started by SIGKILL. */
  killAtOnce(): Promise<void>;
  /** Stops the process and everything it started, and what it is still starting. */
  freeze(): void;
  /** Continues what `freeze` has stopped. */
  thaw(): void;
}

/** Starts a process. Must not throw: a process that cannot start is one that has ended with an error. */
export type LaunchProcess = (options: LaunchedProcessOptions) => LaunchedProcess;

export interface LaunchedProcessOptions {
  readonly number: number;
  /** The session's name, which the process finds in its environment. */
  readonly sessionName: string;
  readonly command: LaunchCommand;
  readonly containment: Containment;
  readonly sandbox: Sandbox;
  /** The key that the gate of the sandbox inserts. */
  readonly credential?: string | undefined;
  /** What was prepared for the gates of the session's processes. */
  readonly gates: PreparedGates;
  readonly clock: KeeperClock;
  /**
   * Receives output. If it returns a promise, the stream is paused until the promise resolves, which blocks the
   * process. The promise never rejects.
   */
  readonly onOutput: (stream: "out" | "err" | "screen", bytes: Uint8Array) => Promise<void> | undefined;
  /** The gate of the process's sandbox judged a connection. */
  readonly onVerdict: (record: NetworkRecord) => void;
  /** The process is alive but has closed its stdin, and neither `closeStdin` nor `kill` was called. */
  readonly onStdinClosed: () => void;
  /** The process has exited. Output that it left in its pipes may still follow. */
  readonly onExit: () => void;
}
