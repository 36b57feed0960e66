import { writeSync } from "node:fs";
import type { ReadStream } from "node:tty";

/** How much typed input may be queued, in bytes. */
const maxPendingBytes = 1024 ** 2;
/** Milliseconds until the next attempt to type into a terminal whose program has not read what was typed before. */
const retryDelay = 5;

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

  constructor(screen: ReadStream, master: number) {
    this.#screen = screen;
    this.#master = master;
  }

  /** Returns false if the terminal is closed, or if the process has not read its input for too long. */
  type(text: string): boolean {
    if (this.#screen.destroyed || this.#pending.length > maxPendingBytes) return false;
    this.#pending = Buffer.concat([this.#pending, Buffer.from(text)]);
    if (this.#retry === undefined) this.#flush();
    return true;
  }

  #flush(): void {
    this.#retry = undefined;
    while (this.#pending.length > 0) {
      if (this.#screen.destroyed) return; // the descriptor may belong to another file
      try {
        this.#pending = this.#pending.subarray(writeSync(this.#master, this.#pending));
      } catch (error) {
        // With any other error the terminal is gone, and its screen ends.
        if ((error as NodeJS.ErrnoException).code === "EAGAIN")
          this.#retry = setTimeout(() => this.#flush(), retryDelay);
        return;
      }
    }
  }
}
