import { FairleadError } from "@fairlead/contract";
import { delay } from "../delay.ts";
import { splitKeys } from "./split-keys.ts";

/** Milliseconds until the next attempt to type into a terminal whose input is full. */
const retryDelay = 50;

/** The most characters that are typed at once. What is typed meanwhile is sent together, so a slow connection is no queue. */
const maxBatchLength = 65_536;

/** Keys that did not reach the terminal, or may not have. */
export interface LostKeys {
  /** Sent when the connection failed: they were typed at most once, and perhaps not. */
  readonly uncertain: string;
  /** Waited behind those, and were not sent: after a gap, they would do something else. */
  readonly unsent: string;
  readonly error: Error;
}

export interface KeySenderOptions {
  readonly type: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called once per failure. Later keys are sent again. Must not throw. */
  readonly onLost?: (lost: LostKeys) => void;
  /** Called when the number of characters that the terminal has not confirmed changes. Must not throw. */
  readonly onPending?: (count: number) => void;
}

/**
 * Sends keys to a remote terminal, in order and one request at a time: keys that overtake each other change what was typed.
 * A text for which the terminal's input has no space is sent again until the signal aborts, and the texts after it wait. A
 * text whose request failed is never sent again, because it may have been typed.
 */
export class KeySender {
  readonly #options: KeySenderOptions;
  #sending = "";
  #waiting = "";

  constructor(options: KeySenderOptions) {
    this.#options = options;
  }

  send(text: string): void {
    this.#waiting += text;
    this.#report();
    if (this.#sending === "") void this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    while (this.#waiting !== "" && !this.#options.signal.aborted) {
      [this.#sending, this.#waiting] = splitKeys(this.#waiting, maxBatchLength);
      const error = await this.#sendOne(this.#sending);
      if (error !== null) this.#lose(error);
      this.#sending = "";
      this.#report();
    }
  }

  /** Returns why the text may not have been typed, or null. */
  async #sendOne(text: string): Promise<Error | null> {
    while (!this.#options.signal.aborted) {
      try {
        await this.#options.type(text);
        return null;
      } catch (error) {
        if (!FairleadError.is(error, "input-full")) return error as Error;
        await delay(retryDelay, this.#options.signal);
      }
    }
    return null;
  }

  #lose(error: Error): void {
    const lost = { uncertain: this.#sending, unsent: this.#waiting, error };
    this.#waiting = "";
    this.#options.onLost?.(lost);
  }

  #report(): void {
    this.#options.onPending?.(this.#sending.length + this.#waiting.length);
  }
}
