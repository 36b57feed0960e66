import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";

/** Milliseconds until the next attempt to type into a terminal whose input is full. */
const retryDelay = 50;

/**
 * Sends keys to a remote terminal, one text after the other: keys that overtake each other change what was typed. A text
 * for which the terminal's input has no space is sent again until the signal aborts, and the texts after it wait.
 */
export class KeySender {
  readonly #type: (text: string) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #waiting: string[] = [];
  #isSending = false;

  constructor(type: (text: string) => Promise<void>, signal: AbortSignal) {
    this.#type = type;
    this.#signal = signal;
  }

  send(text: string): void {
    this.#waiting.push(text);
    if (!this.#isSending) void this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true;
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) await this.#sendOne(text);
    this.#isSending = false;
  }

  async #sendOne(text: string): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        return await this.#type(text);
      } catch (error) {
        // Any other error means that the remote terminal has ended. The end of its screen reports that.
        if (!FairleadError.is(error, "input-full")) return;
        await delay(retryDelay);
      }
    }
  }
}
