import type { EventOf, ToolAction } from "@fairlead/contract";

/** What all rows have. A row is a pure function of the events it was made of, and events never change. */
interface RowBase {
  /** Identifies the row while the session is shown, also if events before or after it are added. */
  readonly key: string;
  /** The number of the event that began the row. Rows are sorted by it. */
  readonly first: number;
  /** The number of the newest event that the row contains. */
  readonly last: number;
  /** How many events the row contains. Two rows with the same key, `last` and `size` are equal. */
  readonly size: number;
  /** How many letters or entries of its events were cut for the page. */
  readonly hidden: number;
  /** When the first event happened. */
  readonly at: string;
  /** The call of the sub-agent that the row belongs to. */
  readonly parent?: string;
}

/** A message to the agent: of a person, of another agent, or into the running turn. */
export interface MessageRow extends RowBase {
  readonly type: "message";
  readonly text: string;
  readonly how: "user" | "agent" | "terminal" | "steered" | "injected";
  /** Whether the agent also got context with the message, which the text leaves out. */
  readonly hasContext: boolean;
}

/** A message that waits for its turn, or did. */
export interface QueuedRow extends RowBase {
  readonly type: "queued";
  readonly text: string;
  readonly state: "waiting" | "started" | EventOf<"message.returned">["reason"];
}

export interface TextRow extends RowBase {
  readonly type: "text" | "reasoning";
  readonly text: string;
  /** Whether the agent still writes it. */
  readonly isOpen: boolean;
  /** How long the reasoning took, if the event before it is known. */
  readonly seconds: number | null;
}

/** What is known about the outcome of a call. */
export type CallState = "requested" | "running" | "done" | NonNullable<EventOf<"tool.ended">["reason"]>;

export interface ChangedPath {
  readonly path: string;
  readonly change: EventOf<"file.changed">["change"];
  /** Missing if the agent reported the change. */
  readonly attribution?: EventOf<"file.changed">["attribution"];
}

/** One call of a tool, from its request to its end. */
export interface ToolRow extends RowBase {
  readonly type: "tool";
  readonly call: string;
  readonly name: string;
  readonly input: unknown;
  readonly action: ToolAction | undefined;
  readonly state: CallState;
  readonly output: string;
  readonly endedAt: string | null;
  /** What the agent asked for, if a person allowed another input. `input` and `action` are then those of the answer. */
  readonly requested: Pick<ToolRow, "input" | "action"> | null;
  /** How long the call waited for answers, and when the last of them was given. */
  readonly waited: { readonly milliseconds: number; readonly until: string } | null;
  /** How long the tool says that it has run. */
  readonly elapsedSeconds: number | null;
  readonly enforcement: EventOf<"tool.started">["enforcement"];
  readonly files: readonly ChangedPath[];
}

/** Calls in a row that only read or search. */
export interface LookupsRow extends RowBase {
  readonly type: "lookups";
  readonly calls: readonly ToolRow[];
}

export interface DecisionRow extends RowBase {
  readonly type: "decision";
  readonly request: EventOf<"decision.requested">;
  readonly resolution: EventOf<"decision.resolved"> | null;
  readonly resolvedAt: string | null;
}

export interface PlanRow extends RowBase {
  readonly type: "plan";
  readonly steps: EventOf<"plan.updated">["steps"];
}

/** Changes of files without a call that is shown. */
export interface FilesRow extends RowBase {
  readonly type: "files";
  readonly files: readonly ChangedPath[];
}

/** A fact that needs one line: of the session, a limit, a connection, a status, a failure. */
export interface NoteRow extends RowBase {
  readonly type: "note";
  readonly tone: "quiet" | "waits" | "fails";
  readonly text: string;
  readonly detail: string | null;
}

export interface TurnEndRow extends RowBase {
  readonly type: "turn-end";
  readonly outcome: EventOf<"turn.ended">["outcome"];
}

/** Output that no code recognized. */
export interface UnrecognizedRow extends RowBase {
  readonly type: "unrecognized";
  readonly reason: string;
  readonly raw: string;
}

export type TimelineRow =
  | MessageRow
  | QueuedRow
  | TextRow
  | ToolRow
  | LookupsRow
  | DecisionRow
  | PlanRow
  | FilesRow
  | NoteRow
  | TurnEndRow
  | UnrecognizedRow;
