import { capabilitiesOf, closingEvents } from "@fairlead/contract";
import type { Adapter, Exit, NoteOf, TranscriptEnd, TranscriptPart, TranscriptPosition } from "@fairlead/contract";
import type { Emitter } from "./emitter.ts";

/**
 * How far the recording of the agent's own terminal is. The runtime does the steps `opening` and `closing`: it measures
 * and reads the agent's transcript and records notes. The state is in the spool, so a new owner continues the step.
 */
export interface TerminalRecording {
  /** `opening`: the transcript must be measured. `open`: the terminal may run. `closing`: the transcript must be read. */
  readonly step: "opening" | "open" | "closing";
  /** Number of the record that began the step. The ids of the step's notes contain it. */
  readonly since: number;
  /** When the person took over, in milliseconds since 1970. */
  readonly takenOverAt: number;
  /** Where the transcript ended before the terminal opened; null if there is no transcript. */
  readonly position: TranscriptPosition | null;
  /** Offset in bytes of the next line to read. */
  readonly next: number;
  /** How the terminal exited, once it has. */
  readonly exit: Exit | null;
}

const notRecordedNow = "What is said and done in the agent's own terminal is not recorded.";
const notRecordedBefore = "What was said and done in the agent's own terminal is not recorded.";
const maxConversations = 5;

/** Records the turns of the agent's own terminal from the agent's transcript, or states what is not recorded. */
export const terminalRecording = {
  /**
   * Begins a take-over. Returns whether the terminal may open at once. Otherwise it opens after the runtime has measured
   * the transcript.
   */
  begin(emitter: Emitter, adapter: Adapter): boolean {
    if (!isRecordable(emitter, adapter)) {
      reportUnrecorded(emitter);
      return true;
    }
    const { seq, at } = emitter.record;
    const nothingRead = { position: null, next: 0, exit: null };
    const recording: TerminalRecording = { step: "opening", since: seq, takenOverAt: at, ...nothingRead };
    emitter.state = { ...emitter.state, terminalRecording: recording };
    return false;
  },

  /** Stores where the transcript ends. Returns whether the terminal may open now. */
  measured(emitter: Emitter, position: TranscriptPosition | null): boolean {
    const recording = emitter.state.terminalRecording;
    if (recording?.step !== "opening") return false;
    const next = position?.bytes ?? 0;
    emitter.state = { ...emitter.state, terminalRecording: { ...recording, step: "open", position, next } };
    if (position === null) reportUnrecorded(emitter);
    return true;
  },

  /** Handles a launch. Versions that did not record launched the terminal at once: that take-over is not recorded. */
  launched(emitter: Emitter): void {
    if (emitter.state.terminalRecording?.step === "opening")
      emitter.state = { ...emitter.state, terminalRecording: null };
  },

  /** Handles the exit of the terminal. Returns whether the lead may pass back at once, before the transcript is read. */
  terminalExited(emitter: Emitter, adapter: Adapter, exit: Exit): boolean {
    const recording = emitter.state.terminalRecording;
    if (recording?.position == null) {
      // Versions that did not record wrote no measurement. Their spools must produce the same events as before.
      if (recording !== null || !isRecordable(emitter, adapter)) reportLoss(emitter, "");
      return true;
    }
    const { seq } = emitter.record;
    emitter.state = { ...emitter.state, terminalRecording: { ...recording, step: "closing", since: seq, exit } };
    return false;
  },

  /** Reads a part of the transcript, unless it was read before. Returns whether it was the last one. */
  readPart(
    emitter: Emitter,
    { from, to, lines, end }: NoteOf<"terminal-transcript">,
    read: (part: TranscriptPart) => void,
  ): boolean {
    const recording = emitter.state.terminalRecording;
    if (recording?.step !== "closing" || recording.next !== from) return false;
    emitter.state = { ...emitter.state, terminalRecording: { ...recording, next: to } };
    read({ lines, isLast: end !== undefined });
    if (end === undefined) return false;
    const outcomes = { turn: "interrupted", tool: "interrupted", message: null } as const;
    for (const event of closingEvents(emitter.state.ledger, "session", outcomes)) emitter.emitOwn(event);
    reportEnd(emitter, end);
    return true;
  },

  /** States that the terminal was lost with its keeper, if one was open. */
  lost(emitter: Emitter): void {
    if (emitter.state.terminalRecording !== null) reportLoss(emitter, "");
    emitter.state = { ...emitter.state, terminalRecording: null };
  },
};

const problemReasons: Readonly<Record<NonNullable<TranscriptEnd["problem"]>, string>> = {
  missing: "The agent's transcript is gone.",
  rewritten: "The agent's transcript does not continue the one from before.",
  unreadable: "The agent's transcript cannot be read.",
};

/** Whether the agent's version has the capability to be recorded. */
function isRecordable({ state }: Emitter, adapter: Adapter): boolean {
  const { version = null, flags } = state.opening?.probeResult ?? {};
  const capabilities = capabilitiesOf(adapter.manifest, version, flags);
  return "terminalTranscript" in adapter && capabilities.includes("recorded-take-over");
}

function reportUnrecorded(emitter: Emitter): void {
  emitter.emitOwn({ type: "status.reported", level: "warning", message: notRecordedNow });
}

function reportLoss(emitter: Emitter, reason: string): void {
  emitter.emitOwn({ type: "status.reported", level: "warning", message: `${notRecordedBefore}${reason}` });
}

/** States what could not be recorded. */
function reportEnd(emitter: Emitter, { problem, skippedBytes, otherConversations }: TranscriptEnd): void {
  if (problem !== null) reportLoss(emitter, ` ${problemReasons[problem]}`);
  const warn = (message: string): void => emitter.emitOwn({ type: "status.reported", level: "warning", message });
  if (skippedBytes > 0)
    warn(
      `The agent's transcript of the terminal is larger than what Fairlead records: ${skippedBytes} bytes were left out.`,
    );
  if (otherConversations.length === 0) return;
  const ids = otherConversations.slice(0, maxConversations).join(", ");
  warn(
    `The agent began another conversation while a person led: ${ids}. If that was in the terminal, it is not recorded, and the agent does not continue it.`,
  );
}
