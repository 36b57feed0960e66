import type { Delta, Event, TerminalSize } from "@fairlead/contract";
import { Broadcast } from "./broadcast.ts";

/**
 * Publishes the events and deltas of a session. Output of the agent's own terminal gets the size that the terminal has,
 * because a spectator that draws it in another size shows something else.
 */
export class SessionOutput extends Broadcast<Event | Delta> {
  /** The size that this process last gave the terminal. */
  terminalSize: TerminalSize | null = null;

  override publish(item: Event | Delta): void {
    const isScreen = "type" in item && item.type === "screen";
    super.publish(isScreen && this.terminalSize !== null ? { ...item, size: this.terminalSize } : item);
  }
}
