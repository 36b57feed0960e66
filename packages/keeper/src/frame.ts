import type { LaunchLine, TerminalSize } from "@fairlead/contract";

/** The name and version of what is spoken on a keeper's socket. */
export const protocolName = "fairlead-keeper/1";
export const protocolVersion = 1;

/** What this keeper can do beyond the first version of its protocol. */
export const features: readonly string[] = ["trim", "lease", "adopt", "terminal"];

/** What can be asked of a keeper, one JSON object a line. A frame sent again with the same id is not done again. */
export type Frame =
  /** Only record it. */
  | { readonly do: "note"; readonly id: string; readonly text: string }
  /** Start a process. `env` is its whole environment; only the names are recorded. */
  | { readonly do: "launch"; readonly id: string; readonly line: LaunchLine }
  /** Write to a process, the newest unless it says which. */
  | { readonly do: "say"; readonly id: string; readonly process?: number; readonly text: string }
  /** Close the standard input of the newest process. */
  | { readonly do: "hangup"; readonly id: string }
  /** Send a signal to the newest process, and to it alone. */
  | { readonly do: "signal"; readonly id: string; readonly signal: NodeJS.Signals }
  /** End the newest process and everything it started. */
  | { readonly do: "kill"; readonly id: string }
  /**
   * Type into the terminal that the newest process has. Not recorded, since people type secrets; so it is done at most
   * once, and whoever sends it again types it again.
   */
  | { readonly do: "type"; readonly id: string; readonly text: string }
  /** Make that terminal as large as this; the process is told. Not recorded. */
  | { readonly do: "resize"; readonly id: string; readonly size: TerminalSize }
  /** Remove the segments of the spool that hold nothing after record `upTo`. Not recorded. */
  | { readonly do: "trim"; readonly id: string; readonly upTo: number }
  /**
   * Exit once no process runs any more; with `after`, only if nothing has been recorded after that record, so that
   * whoever has just come to use the keeper is not left standing. Not recorded: it is no part of the conversation.
   */
  | { readonly do: "leave"; readonly id: string; readonly after?: number };

/** The first line that a client hears. */
export interface Hello {
  readonly hello: string;
  readonly pid: number;
  /** How far the spool was when this keeper began: the processes that were launched until then are not in its hands. */
  readonly since?: number;
  readonly lastSeq: number;
  /** What the keeper can do beyond the first version of the protocol; older ones say nothing. */
  readonly features?: readonly string[];
}

/** The frame is recorded, under this sequence. `duplicate`: it was already, and has not been done again. */
export interface Ack {
  readonly ack: string;
  readonly seq: number;
  readonly duplicate: boolean;
}

/** The frame was not recorded and has not been done. `error` is its id, or null when it could not be read. */
export interface Refusal {
  readonly error: string | null;
  readonly message: string;
  /** It may be taken later. */
  readonly passing?: boolean;
}

/** The spool has grown up to this record. */
export interface Wake {
  readonly seq: number;
  /** What stands up to this record holds against a loss of power. Older keepers do not say, nor who was told no by the disk. */
  readonly synced?: number;
}

/** What a keeper says. Acks and refusals come in the order of the frames they answer. */
export type Reply = Hello | Ack | Refusal | Wake;
