import type { Dialect, LaunchLine } from "./dialect.ts";
import type { Manifest } from "./manifest.ts";
import type { Finding, Opening } from "./opening.ts";

/** What a probe may do on the machine: look, and run `--help`. Tests hand in another. */
export interface ProbeHost {
  /** Where a program is, as the user's shell would find it, or null. */
  find(program: string): Promise<string | null>;
  /** Runs a program to its end, with a deadline and no input. Never throws: a failure has a code other than 0. */
  run(program: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Whether an environment variable is set; its value stays where it is. */
  has(variable: string): boolean;
  /** Whether a file exists; `~` is the user's home. */
  exists(path: string): Promise<boolean>;
}

/** One conversation about to be held: the dialect, already knowing how to launch, and how long a process lives. */
export interface Conversation<State = unknown> {
  /** `session`: one process for many turns. `turn`: a process for each. */
  readonly life: "session" | "turn";
  /** How the agent is spoken to, where there are several ways; the best that the finding allows. */
  readonly protocol: string;
  readonly dialect: Dialect<State>;
}

/** Our code for one agent. It describes and computes; the runtime does the rest. */
export interface Adapter<State = unknown> {
  readonly manifest: Manifest;
  /** Is it installed, which version, which flags, signed in how, and what stands in the way? Quick, and never throws. */
  probe(host: ProbeHost): Promise<Finding>;
  /**
   * Where the agent keeps its own record of a conversation, if it keeps one that only ever grows. A fingerprint of it
   * before and after proves that a resume went on from it. Pure; only the path, the runtime reads it.
   */
  transcript?(
    opening: Opening,
    agentSessionId: string,
    environment: Readonly<Record<string, string | undefined>>,
  ): string;
  /**
   * How the agent's own terminal is opened on a conversation, for a person to lead in it; where there is none, nobody can.
   * Mode and settings hold there as far as the agent allows. Pure.
   */
  terminal?(opening: Opening, agentSessionId: string): LaunchLine;
  /** Pure: the same opening gives the same conversation, today and when an old spool is read again. */
  open(opening: Opening): Conversation<State>;
}
