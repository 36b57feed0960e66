import { emptyLedger, Opening, type Ledger, type TerminalSize, type Transcript } from "@fairlead/contract";
import { noRemainder, type Remainder } from "./lines.ts";

/** What a fold remembers. Plain JSON: it can be stored, compared and taken up by another process. */
export interface FoldState {
  readonly opening: Opening | null;
  /** The dialect's own state. */
  readonly dialect: unknown;
  readonly ledger: Ledger;
  /** Whether a process is running, as far as the spool tells. */
  readonly running: boolean;
  /** Whether a launch has been ordered that does not stand in the spool yet. */
  readonly launching: boolean;
  /** The record of the newest launch; 0 before the first. */
  readonly launchedAt: number;
  /** What the session is heading for: going on, a pause, a person's lead, or its end. */
  readonly aim: "run" | "pause" | "take-over" | "end";
  /** How large the terminal is to be in which a person leads; null while nobody asks for one. */
  readonly terminal: TerminalSize | null;
  /** What keeps the agent's processes together; null until a keeper has said. */
  readonly containment: "namespace" | "descendants" | null;
  /** Whether it is being let go of because nobody came back to it. */
  readonly idle: boolean;
  /** Whether an error was told of since the last turn began. */
  readonly erred: boolean;
  /** Whether it was told of outside of any turn: then the agent cannot be used. */
  readonly unfit: boolean;
  /** The agent's own name for the conversation, once it is known. */
  readonly agentSessionId: string | null;
  readonly model: string | null;
  /** What the agent is to be told with the next message. */
  readonly injected: readonly string[];
  /** What the agent's own record of the conversation was last found to be. */
  readonly transcript: Transcript | null;
  /** When the agent was last heard at all, and when it last said something that became an event. */
  readonly heardAt: number | null;
  readonly toldAt: number | null;
  /** Whether the agent has closed its ears while it lives on: nothing that is said to it arrives. */
  readonly stdinClosed: boolean;
  readonly out: Remainder;
  readonly err: Remainder;
}

export const emptyFold: FoldState = {
  opening: null,
  dialect: null,
  ledger: emptyLedger,
  running: false,
  launching: false,
  launchedAt: 0,
  aim: "run",
  terminal: null,
  containment: null,
  idle: false,
  erred: false,
  unfit: false,
  agentSessionId: null,
  model: null,
  injected: [],
  transcript: null,
  heardAt: null,
  toldAt: null,
  stdinClosed: false,
  out: noRemainder,
  err: noRemainder,
};

/** A fold's state as it is today, from one that was kept by an older version: that knew less, and says less. */
export function wholeFold(kept: FoldState): FoldState {
  return { ...emptyFold, ...kept, opening: Opening.nullable().parse(kept.opening) };
}
