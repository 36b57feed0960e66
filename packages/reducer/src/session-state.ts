import {
  emptyKeyedMap,
  emptyLedger,
  isOpen,
  Opening,
  upgradeLedger,
  type DecidedBy,
  type Exit,
  type KeyedMap,
  type Ledger,
  type PolicyGrant,
  type TerminalSize,
  type TranscriptFingerprint,
} from "@fairlead/contract";
import { z } from "zod";
import { initialBriefState, type BriefState } from "./brief/session-brief.ts";
import type { DecisionDeadline } from "./decision-deadlines.ts";
import { noRemainder, type Remainder } from "./lines.ts";
import { initialNetworkState, type NetworkState } from "./network-access.ts";
import type { ExhaustedQuotas } from "./limits/parking.ts";
import { initialSpending, type SpendingState } from "./limits/spending-limits.ts";
import type { HostToolUse } from "./host-tools.ts";
import type { ObservedFiles } from "./observed-files.ts";
import type { TerminalRecording } from "./terminal-recording.ts";

/** A message that the session accepted and whose turn has not started. */
export interface WaitingMessage {
  readonly turn: string;
  /** The text as the sender wrote it. */
  readonly text: string;
  /** Injected context that is sent with it. */
  readonly context: readonly string[];
  /** Whether the dialect has the message. */
  readonly isDelivered: boolean;
  /** Whether `message.queued` is written. */
  readonly isAnnounced: boolean;
  /** Set if the dialect has the brief with the message, or as the message. */
  readonly tellsBrief?: true;
}

/** A person's answer that counts for the rest of the session. */
export interface SessionGrant extends PolicyGrant {
  /** The decision that was answered. */
  readonly decision: string;
  /** Whether it also belongs in the user's policy. */
  readonly isRule: boolean;
}

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
  /** Whether the process was asked to exit or is killed, so that it must get no further message. */
  readonly exiting: boolean;
  /** Sequence number of the newest launch record; 0 before the first. */
  readonly launchedAt: number;
  /** The state that the last command requests: running, paused, led by a person, or ended. */
  readonly desiredState: "run" | "pause" | "take-over" | "end";
  /** Size of the terminal in which a person leads; null without a take-over. */
  readonly terminalSize: TerminalSize | null;
  /** Whether the terminal of the last take-over could not be opened. False for one that opened and ended. */
  readonly terminalFailed: boolean;
  /** How the terminal of the last take-over exited. Null before that, and if a command ended the terminal. */
  readonly terminalExit: Exit | null;
  /** How the agent's own terminal is recorded, from the take-over until the lead passes back; null otherwise. */
  readonly terminalRecording: TerminalRecording | null;
  /** How the keeper contains the agent's processes; null until a keeper reports it. */
  readonly containment: "namespace" | "descendants" | null;
  /** Who interrupted the open turn, so that the decisions which the interrupt cancels are not called the agent's. */
  readonly interruptedBy: DecidedBy | null;
  /** Whether the pause is caused by the keeper's lease, because no client came back. */
  readonly idle: boolean;
  /** Why the reducer stops the agent, if no command and no lease does. */
  readonly stoppedFor: "budget" | "quota" | "moved" | null;
  /** Whether the session pauses as `moved` once no turn is open, so that another host continues it. */
  readonly leaving: boolean;
  /** Whether the next resume opens another conversation with the agent, which does not remember the earlier one. */
  readonly opensAgain: boolean;
  /** Whether the agent has had no message yet, so that it may have stored no conversation. False in states of older versions. */
  readonly isNew: boolean;
  /**
   * Whether the agent's conversation has a turn that ended, and not only because its host was lost. True in states of older
   * versions.
   */
  readonly remembersTurn: boolean;
  /** The quotas that are used up, in a session that waits for their reset. */
  readonly exhaustedQuotas: ExhaustedQuotas;
  /** What the session has used, and what it may use. States of older versions lack what was used before. */
  readonly spending: SpendingState;
  /** Whether an error was raised since the last turn started. */
  readonly hasError: boolean;
  /** Whether that error was raised outside a turn, so that the agent cannot be used. */
  readonly isUnusable: boolean;
  /** The agent's own id of the conversation, once it is known. */
  readonly agentSessionId: string | null;
  readonly model: string | null;
  /** Messages whose turns have not started, in order. At most the first one is delivered. */
  readonly waitingMessages: readonly WaitingMessage[];
  /** Context to send with the next message. */
  readonly pendingContext: readonly string[];
  readonly brief: BriefState;
  /** Last fingerprint of the agent's transcript. */
  readonly transcript: TranscriptFingerprint | null;
  /** Time since which the agent has been expected to write output: of a turn's start, an answer or a launch. */
  readonly awaitingOutputSince: number | null;
  /** Time of the agent's last output of any kind. */
  readonly lastOutputAt: number | null;
  /** Time of the last output that became an event. */
  readonly lastEventAt: number | null;
  /** Whether a running agent closed its standard input, so that messages do not reach it. */
  readonly stdinClosed: boolean;
  /** The files of the workspace, as of the last comparison; null before the first. */
  readonly files: ObservedFiles | null;
  /** The connections that the gate of the sandbox judged or holds. */
  readonly network: NetworkState;
  /** What a person has allowed for the session, the oldest first. */
  readonly grants: readonly SessionGrant[];
  /** The calls of tools that Fairlead runs, by key, until the agent has their results. */
  readonly uses: KeyedMap<HostToolUse>;
  /** The deadlines of open decisions. */
  readonly deadlines: readonly DecisionDeadline[];
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
  exiting: false,
  launchedAt: 0,
  desiredState: "run",
  terminalSize: null,
  terminalFailed: false,
  terminalExit: null,
  terminalRecording: null,
  containment: null,
  interruptedBy: null,
  idle: false,
  stoppedFor: null,
  leaving: false,
  opensAgain: false,
  isNew: true,
  remembersTurn: false,
  exhaustedQuotas: {},
  spending: initialSpending,
  hasError: false,
  isUnusable: false,
  agentSessionId: null,
  model: null,
  waitingMessages: [],
  pendingContext: [],
  brief: initialBriefState,
  transcript: null,
  awaitingOutputSince: null,
  lastOutputAt: null,
  lastEventAt: null,
  stdinClosed: false,
  files: null,
  network: initialNetworkState,
  grants: [],
  uses: emptyKeyedMap,
  deadlines: [],
  out: noRemainder,
  err: noRemainder,
};

/** Completes a state that an older version stored: fills missing fields with their initial values. */
export function upgradeSessionState(stored: SessionState): SessionState {
  const opening = Opening.nullable().parse(stored.opening);
  const spending = { ...initialSpending, ...stored.spending };
  const isNew = stored.isNew ?? stored.opening === null;
  const remembersTurn = stored.remembersTurn ?? stored.opening !== null;
  const upgraded = { isNew, remembersTurn, opening, spending, ledger: upgradeLedger(stored.ledger) };
  const state = { ...initialSessionState, ...stored, ...upgraded };
  return stored.waitingMessages === undefined ? takeMessagesFromDialect(state) : state;
}

const UnqueuedMessage = z.looseObject({ turn: z.string(), text: z.string() });
const DialectWithQueue = z.looseObject({
  current: UnqueuedMessage.nullable().default(null),
  queue: z.array(UnqueuedMessage).default([]),
});

/** Moves the messages that wait in the dialect's state to the reducer's queue. In older versions the dialect kept them. */
function takeMessagesFromDialect(state: SessionState): SessionState {
  const dialectState = DialectWithQueue.safeParse(state.dialectState).data;
  if (dialectState === undefined) return state;
  const { current, queue } = dialectState;
  const isUnconfirmed = current !== null && !isOpen(state.ledger, "turn");
  const waitingMessages = [...(isUnconfirmed ? [current] : []), ...queue].map(({ turn, text }) => ({
    turn,
    text,
    context: [],
    isDelivered: turn === current?.turn,
    isAnnounced: false,
  }));
  if (waitingMessages.length === 0) return state;
  return { ...state, waitingMessages, dialectState: { ...dialectState, queue: [] } };
}
