import { isOpen, type Adapter, type Exit, type TerminalSize } from "@fairlead/contract";
import { cutText } from "./cut-text.ts";
import type { Telling } from "./telling.ts";

/** What a terminal can show. Every one in use understands this much, and programs draw by it. */
const shows = { TERM: "xterm-256color", COLORTERM: "truecolor" } as const;

/**
 * How the lead passes to a person in the agent's own terminal, and back. While it is there, the newest process is that
 * terminal, and the dialect hears nothing of it: meaning is not read from screens.
 */
export const handover = {
  isHuman(telling: Telling): boolean {
    return isOpen(telling.state.ledger, "lead");
  },

  wished(telling: Telling, terminal: TerminalSize): void {
    telling.state = { ...telling.state, aim: "take-over", terminal };
  },

  /** Opens the terminal, once the agent's own process has made room for it. */
  goOn(telling: Telling, adapter: Adapter): void {
    const { aim, running, launching, opening, agentSessionId, terminal: size } = telling.state;
    if (aim !== "take-over" || running || launching || handover.isHuman(telling)) return;
    if (opening === null || agentSessionId === null || size === null || adapter.terminal === undefined) return;
    telling.say({ type: "lead.changed", lead: "human" });
    const line = adapter.terminal(opening, agentSessionId);
    telling.order({ type: "launch", line: { ...line, env: { ...shows, ...line.env }, stdin: "terminal", size } });
  },

  shown(telling: Telling, bytes: Uint8Array): void {
    const { text, rest } = cutText(telling.state.out, bytes);
    telling.state = { ...telling.state, out: rest };
    if (text !== "") telling.pass({ type: "screen", text });
  },

  /** Ends the terminal. It may have been left by now, and then this reaches nobody. */
  ended(telling: Telling, aim: "run" | "end"): void {
    if (telling.state.aim === "take-over") telling.order({ type: "kill" });
    telling.state = { ...telling.state, aim };
  },

  /** The terminal is gone: by our doing, or because the person has left it. */
  exited(telling: Telling, exit: Exit): void {
    const { aim } = telling.state;
    telling.state = { ...telling.state, aim: aim === "take-over" ? "run" : aim, terminal: null };
    telling.say({ type: "lead.changed", lead: "agent" });
    if (aim !== "take-over" || exit.code === 0) return;
    const how = exit.error ?? (exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`);
    telling.say({
      type: "status.reported",
      level: "warning",
      message: `The agent's terminal ended by itself: ${how}.`,
    });
  },
};
