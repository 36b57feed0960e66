import { isOpen, type Adapter, type Exit, type TerminalSize } from "@fairlead/contract";
import { decodeText } from "./decode-text.ts";
import type { Emitter } from "./emitter.ts";
import { fenceAdapter } from "./fence-adapter.ts";
import { describeExit, lifecycle } from "./session-lifecycle.ts";

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
    emitter.state = { ...emitter.state, desiredState: "take-over", terminalSize: terminal };
  },

  /** Opens the terminal after the agent's process has ended. */
  openTerminalIfReady(emitter: Emitter, adapter: Adapter): void {
    const { desiredState, running, launching, opening, agentSessionId, terminalSize: size } = emitter.state;
    if (desiredState !== "take-over" || running || launching || handover.isHumanLeading(emitter)) return;
    if (opening === null || agentSessionId === null || size === null) return;
    const built = fenceAdapter(() => adapter.terminalCommand?.(opening, agentSessionId));
    if ("failure" in built) return lifecycle.pauseAfterFailure(emitter, built.failure);
    const command = built.result;
    if (command === undefined) return;
    emitter.emitOwn({ type: "lead.changed", lead: "human" });
    emitter.enqueueEffect({
      type: "launch",
      command: { ...command, env: { ...terminalEnvironment, ...command.env }, stdin: "terminal", size },
    });
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
    };
    emitter.emitOwn({ type: "lead.changed", lead: "agent" });
    if (desiredState !== "take-over" || exit.code === 0) return;
    const message = `The agent's terminal ended unexpectedly: ${describeExit(exit)}.`;
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
  },
};
