import {
  emptyLedger,
  Opening,
  upgradeLedger,
  type Ledger,
  type TerminalSize,
  type TranscriptFingerprint,
} from "@fairlead/contract";
import { noRemainder, type Remainder } from "./lines.ts";
import type { TerminalRecording } from "./terminal-recording.ts";

/** State of a session reducer. Plain JSON: it can be stored, compared and continued by another process. */
export interface SessionState {
  readonly opening: Opening | null;
  /** The dialect's own state. */
  readonly dialectState: unknown;
  readonly ledger: Ledger;
  /** Whether a process is running, according to the spool. */
  readonly running: boolean;
  /** Whether a launch is requested that the spool does not contain yet. */
  readonly launching: boolean;
  /** Sequence number of the newest launch record; 0 before the first. */
  readonly launchedAt: number;
  /** The state that the last command requests: running, paused, led by a person, or ended. */
  readonly desiredState: "run" | "pause" | "take-over" | "end";
  /** Size of the terminal in which a person leads; null without a take-over. */
  readonly terminalSize: TerminalSize | null;
  /** How the agent's own terminal is recorded, from the take-over until the lead passes back; null otherwise. */
  readonly terminalRecording: TerminalRecording | null;
  /** How the keeper contains the agent's processes; null until a keeper reports it. */
  readonly containment: "namespace" | "descendants" | null;
  /** Whether the pause is caused by the keeper's lease, because no client came back. */
  readonly idle: boolean;
  /** Whether an error was raised since the last turn started. */
  readonly hasError: boolean;
  /** Whether that error was raised outside a turn, so that the agent cannot be used. */
  readonly isUnusable: boolean;
  /** The agent's own id of the conversation, once it is known. */
  readonly agentSessionId: string | null;
  readonly model: string | null;
  /** Context to send with the next message. */
  readonly pendingContext: readonly string[];
  /** Last fingerprint of the agent's transcript. */
  readonly transcript: TranscriptFingerprint | null;
  /** Time of the agent's last output of any kind. */
  readonly lastOutputAt: number | null;
  /** Time of the last output that became an event. */
  readonly lastEventAt: number | null;
  /** Whether a running agent closed its standard input, so that messages do not reach it. */
  readonly stdinClosed: boolean;
  /** Incomplete last lines of the two output streams, by stream name. */
  readonly out: Remainder;
  readonly err: Remainder;
}

/** The error of a spool whose first record is not an opening. */
export const missingOpening = "Cannot reduce the spool: its first record is not an opening.";

export const initialSessionState: SessionState = {
  opening: null,
  dialectState: null,
  ledger: emptyLedger,
  running: false,
  launching: false,
  launchedAt: 0,
  desiredState: "run",
  terminalSize: null,
  terminalRecording: null,
  containment: null,
  idle: false,
  hasError: false,
  isUnusable: false,
  agentSessionId: null,
  model: null,
  pendingContext: [],
  transcript: null,
  lastOutputAt: null,
  lastEventAt: null,
  stdinClosed: false,
  out: noRemainder,
  err: noRemainder,
};

/** Completes a state that an older version stored: fills missing fields with their initial values. */
export function upgradeSessionState(stored: SessionState): SessionState {
  const opening = Opening.nullable().parse(stored.opening);
  return { ...initialSessionState, ...stored, opening, ledger: upgradeLedger(stored.ledger) };
}
