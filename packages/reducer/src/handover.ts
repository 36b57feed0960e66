import { isOpen, type Adapter, type Effect, type Exit } from "@fairlead/contract";
import type { TerminalSize, TranscriptPosition } from "@fairlead/contract";
import { decodeText } from "./decode-text.ts";
import type { Emitter } from "./emitter.ts";
import { fenceAdapter, type Fenced } from "./fence-adapter.ts";
import { describeExit, lifecycle } from "./session-lifecycle.ts";
import { terminalRecording } from "./terminal-recording.ts";

/** Terminal features to announce to programs. All terminals in use support them. */
const terminalEnvironment = { TERM: "xterm-256color", COLORTERM: "truecolor" } as const;

/**
 * Passes the lead to a person in the agent's own terminal, and back. While a person leads, the newest process is that
 * terminal. The dialect does not observe its output, because Fairlead does not parse screens.
 */
export const handover = {
  isHumanLeading(emitter: Emitter): boolean {
    return isOpen(emitter.state.ledger, "lead");
  },

  requestTakeOver(emitter: Emitter, terminal: TerminalSize): void {
    emitter.state = {
      ...emitter.state,
      desiredState: "take-over",
      stoppedFor: null,
      terminalSize: terminal,
      terminalFailed: false,
      terminalExit: null,
    };
  },

  /** Passes the lead to the person after the agent's process has ended. */
  passLeadIfReady(emitter: Emitter, adapter: Adapter): void {
    const { desiredState, running, launching } = emitter.state;
    if (desiredState !== "take-over" || running || launching || handover.isHumanLeading(emitter)) return;
    const built = buildTerminal(emitter, adapter);
    if (built === null) return;
    if ("failure" in built) {
      emitter.state = { ...emitter.state, terminalFailed: true };
      return lifecycle.pauseAfterFailure(emitter, built.failure);
    }
    emitter.emitOwn({ type: "lead.changed", lead: "human" });
    if (terminalRecording.begin(emitter, adapter)) emitter.enqueueEffect(built.result);
  },

  /** Opens the terminal after the runtime has measured the agent's transcript. */
  transcriptMeasured(emitter: Emitter, adapter: Adapter, position: TranscriptPosition | null): void {
    if (!terminalRecording.measured(emitter, position)) return;
    const built = buildTerminal(emitter, adapter);
    // The same call succeeded when the lead passed, and the adapter is pure.
    if (built === null || "failure" in built) return;
    emitter.enqueueEffect(built.result);
    // The lead was handed back, or the session ended, before the terminal opened.
    if (emitter.state.desiredState !== "take-over") emitter.enqueueEffect({ type: "kill" });
  },

  screenOutput(emitter: Emitter, bytes: Uint8Array): void {
    const { text, rest } = decodeText(emitter.state.out, bytes);
    emitter.state = { ...emitter.state, out: rest };
    if (text !== "") emitter.emitDelta({ type: "screen", text });
  },

  /** Ends the terminal. If the person has closed it already, the kill has no effect. */
  endTerminal(emitter: Emitter, desiredState: "run" | "end"): void {
    if (emitter.state.desiredState === "take-over") emitter.enqueueEffect({ type: "kill" });
    emitter.state = { ...emitter.state, desiredState };
  },

  /** Handles the exit of the terminal, which a command killed or the person closed. */
  terminalExited(emitter: Emitter, exit: Exit): void {
    const { desiredState } = emitter.state;
    emitter.state = {
      ...emitter.state,
      desiredState: desiredState === "take-over" ? "run" : desiredState,
      terminalSize: null,
      // Without the error, a process ran. If the take-over was withdrawn, it does not matter whether one did.
      terminalFailed: desiredState === "take-over" && exit.error !== undefined,
      terminalExit: desiredState === "take-over" ? exit : null,
      terminalRecording: null,
    };
    emitter.emitOwn({ type: "lead.changed", lead: "agent" });
    if (desiredState !== "take-over" || exit.code === 0) return;
    const message = `The agent's terminal ended unexpectedly: ${describeExit(exit)}.`;
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
  },
};

/** Builds the effect that launches the agent's own terminal. Null if the session cannot be taken over. */
function buildTerminal({ state }: Emitter, adapter: Adapter): Fenced<Effect> | null {
  const { opening, agentSessionId, terminalSize: size } = state;
  if (opening === null || agentSessionId === null || size === null) return null;
  const built = fenceAdapter(() => adapter.terminalCommand?.(opening, agentSessionId));
  if ("failure" in built) return built;
  if (built.result === undefined) return null;
  const env = { ...terminalEnvironment, ...built.result.env };
  return { result: { type: "launch", command: { ...built.result, env, stdin: "terminal", size } } };
}
