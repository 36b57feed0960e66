import type { TerminalSize } from "@fairlead/contract";
import { RequestRejected } from "../protocol/request-rejected.ts";
import type { Terminal } from "./terminal.ts";

/** Passes what a client types to the terminal of a keeper's newest process, and its size. */
export class TerminalRequests {
  readonly #findTerminal: () => Terminal | null;
  readonly #isFrozen: () => boolean;

  /** `isFrozen`: whether the processes are stopped. A terminal then accepts no input. */
  constructor(findTerminal: () => Terminal | null, isFrozen: () => boolean) {
    this.#findTerminal = findTerminal;
    this.#isFrozen = isFrozen;
  }

  type(id: string, text: string): void {
    // What a person types would be executed much later, or never.
    if (this.#isFrozen())
      throw new RequestRejected(id, "The agent is stopped: its host is cut off from the fleet.", true);
    const outcome = this.#requireTerminal(id).type(text);
    if (outcome === "closed") throw new RequestRejected(id, "The terminal has closed.");
    if (outcome === "full")
      throw new RequestRejected(id, "The terminal's input is full: its program does not read it.", true);
  }

  resize(id: string, size: TerminalSize): void {
    this.#requireTerminal(id).resize(size);
  }

  #requireTerminal(id: string): Terminal {
    const terminal = this.#findTerminal();
    if (terminal === null)
      throw new RequestRejected(id, "No terminal is open: the newest process has none or has ended.");
    return terminal;
  }
}
