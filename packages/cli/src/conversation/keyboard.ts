import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

export interface ReadOptions {
  /** Aborting takes the question back; the reading throws the signal's reason. */
  readonly signal: AbortSignal;
  /** What stands in the line already, for changing. */
  readonly draft?: string;
  /** What was typed before the question was there is no answer to it. */
  readonly fresh?: boolean;
  /** Offer what was typed here before, on the arrow keys. */
  readonly recall?: boolean;
}

/** Lines that belong together come together: a paste, not typing. */
const pasteGap = 15;
const staleGap = 60;

/** A person's keyboard. Between questions the terminal is as it always is, and Ctrl-C is a signal. */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #interrupt: () => void;
  #history: string[] = [];
  /** What stood in the line when the last question was taken back. */
  abandoned = "";

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, interrupt: () => void) {
    this.#input = input;
    this.#output = output;
    this.#interrupt = interrupt;
  }

  /** What is typed after a prompt; null for Ctrl-D. A paste of several lines is one answer. */
  async read(prompt: string, options: ReadOptions): Promise<string | null> {
    const { signal, draft = "", fresh = false, recall = false } = options;
    signal.throwIfAborted();
    if (fresh) await this.#discardTyped(signal);
    const lines = createInterface({
      input: this.#input,
      output: this.#output,
      prompt,
      history: recall ? [...this.#history] : [],
    });
    const read: string[] = [];
    const done = Promise.withResolvers<string | null>();
    let gap: NodeJS.Timeout | undefined;
    const settle = (): void => done.resolve(read.length === 0 ? null : read.join("\n"));
    const takeBack = (): void => {
      this.abandoned = lines.line;
      this.#output.write("\n");
      done.reject(signal.reason);
    };
    lines.on("line", (line) => {
      read.push(line);
      gap ??= setTimeout(settle, pasteGap);
    });
    lines.on("close", settle);
    lines.on("SIGINT", this.#interrupt);
    signal.addEventListener("abort", takeBack, { once: true });
    try {
      lines.prompt();
      if (draft !== "") lines.write(draft);
      const answer = await done.promise;
      if (answer === null) this.#output.write("\n");
      else if (recall && answer.trim() !== "") this.#history = [answer.replaceAll("\n", " "), ...this.#history];
      return answer;
    } finally {
      clearTimeout(gap);
      signal.removeEventListener("abort", takeBack);
      lines.close();
    }
  }

  /** Reads what the terminal has kept, and forgets it. Only Ctrl-C counts, whenever it was pressed. */
  async #discardTyped(signal: AbortSignal): Promise<void> {
    const look = (typed: Buffer | string): void => {
      if (typed.includes("\u0003")) this.#interrupt();
    };
    this.#input.setRawMode(true);
    this.#input.on("data", look);
    this.#input.resume();
    try {
      await wait(staleGap, undefined, { signal });
    } finally {
      this.#input.off("data", look);
      this.#input.pause();
      this.#input.setRawMode(false);
    }
  }
}
