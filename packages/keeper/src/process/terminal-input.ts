import { writeSync } from "node:fs";
import type { ReadStream } from "node:tty";

/** How much typed input may be queued, in bytes. One text more is taken, of any size, so that each can be typed. */
const maxPendingBytes = 1024 ** 2;
/** Milliseconds until the next attempt to type into a terminal whose program has not read what was typed before. */
const retryDelay = 5;

/** `full`: nothing was typed, because the program has not read its input for too long. The same text may be typed later. */
export type TypingOutcome = "typed" | "full" | "closed";

/**
 * Types into a terminal without waiting for its program. A stream of Node would repeat its write to a master end without
 * a pause until the program has read: the whole keeper would stand still as long as the program does.
 */
export class TerminalInput {
  readonly #screen: ReadStream;
  /** The master end, which does not block. The screen closes it. */
  readonly #master: number;
  #pending = Buffer.alloc(0);
  #retry: NodeJS.Timeout | undefined;
  /** Whether a write failed: the terminal is gone, and its screen is about to end. */
  #hasFailed = false;

  constructor(screen: ReadStream, master: number) {
    this.#screen = screen;
    this.#master = master;
  }

  type(text: string): TypingOutcome {
    if (this.#isClosed) return "closed";
    if (this.#pending.length > maxPendingBytes) return "full";
    this.#pending = Buffer.concat([this.#pending, Buffer.from(text)]);
    if (this.#retry === undefined) this.#flush();
    return this.#isClosed ? "closed" : "typed";
  }

  get #isClosed(): boolean {
    return this.#hasFailed || this.#screen.destroyed;
  }

  #flush(): void {
    this.#retry = undefined;
    while (this.#pending.length > 0) {
      if (this.#screen.destroyed) return; // the descriptor may belong to another file
      try {
        this.#pending = this.#pending.subarray(writeSync(this.#master, this.#pending));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN")
          this.#retry = setTimeout(() => this.#flush(), retryDelay);
        else this.#hasFailed = true;
        return;
      }
    }
  }
}
