import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { InterruptListener } from "./interrupt-handler.ts";

export interface KeyboardReadOptions {
  /** Aborting withdraws the question: `read` throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Text to start with, for editing. */
  readonly draft?: string;
  /** Discard what was typed before the question appeared. */
  readonly fresh?: boolean;
  /** Offer earlier input on the arrow keys. */
  readonly recall?: boolean;
}

/** Lines that arrive within this many milliseconds are one paste. */
const pasteGap = 15;
const typeaheadWindow = 60;
/** Ctrl-\\ while the terminal does not turn it into a signal. */
const detachKey = "\u001C";

/** Reads lines from a person's keyboard. Between reads the terminal is in its normal mode, and Ctrl-C is a signal. */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #keys: InterruptListener;
  #history: string[] = [];
  /** The unfinished line of the last read that was withdrawn. */
  abandonedText = "";

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, keys: InterruptListener) {
    this.#input = input;
    this.#output = output;
    this.#keys = keys;
  }

  /** Reads what is typed after a question, or null for Ctrl-D. A paste of several lines is one answer. */
  async read(question: string, options: KeyboardReadOptions): Promise<string | null> {
    const { signal, draft = "", fresh = false, recall = false } = options;
    signal.throwIfAborted();
    if (fresh) await this.#discardTypeahead(signal);
    const lines = createInterface({
      input: this.#input,
      output: this.#output,
      prompt: question,
      history: recall ? [...this.#history] : [],
    });
    const typedLines: string[] = [];
    const answered = Promise.withResolvers<string | null>();
    let pasteTimer: NodeJS.Timeout | undefined;
    const settle = (): void => answered.resolve(typedLines.length === 0 ? null : typedLines.join("\n"));
    const cancel = (): void => {
      this.abandonedText = lines.line;
      moveCursor(this.#output, 0, -lines.getCursorPos().rows);
      cursorTo(this.#output, 0);
      clearScreenDown(this.#output);
      answered.reject(signal.reason);
    };
    lines.on("line", (line) => {
      typedLines.push(line);
      pasteTimer ??= setTimeout(settle, pasteGap);
    });
    lines.on("close", settle);
    lines.on("SIGINT", () => this.#keys.interrupt());
    const onKey = (_: unknown, { sequence }: { sequence?: string }): void => {
      if (sequence === detachKey) this.#keys.detach();
    };
    this.#input.on("keypress", onKey);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      lines.prompt();
      if (draft !== "") lines.write(draft);
      const answer = await answered.promise;
      if (answer === null) this.#output.write("\n");
      else if (recall && answer.trim() !== "") this.#history = [answer.replaceAll("\n", " "), ...this.#history];
      return answer;
    } finally {
      clearTimeout(pasteTimer);
      signal.removeEventListener("abort", cancel);
      this.#input.off("keypress", onKey);
      lines.close();
    }
  }

  /** Reads and discards buffered input. Ctrl-C still counts. */
  async #discardTypeahead(signal: AbortSignal): Promise<void> {
    const onData = (typed: Buffer | string): void => {
      if (typed.includes("\u0003")) this.#keys.interrupt();
      if (typed.includes(detachKey)) this.#keys.detach();
    };
    this.#input.setRawMode(true);
    this.#input.on("data", onData);
    this.#input.resume();
    try {
      await wait(typeaheadWindow, undefined, { signal });
    } finally {
      this.#input.off("data", onData);
      this.#input.pause();
      this.#input.setRawMode(false);
    }
  }
}
