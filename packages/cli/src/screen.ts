import { toSafeJsonLine } from "@fairlead/contract";
import type { Paint } from "./render/paint.ts";
import { choosePaint } from "./render/paint.ts";
import type { OutputChunk } from "./render/output-chunk.ts";
import { wrapMessage } from "./render/text-layout.ts";

export interface ScreenStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The output of the CLI. Holds all other output back while a question to a person is open. */
export class Screen {
  readonly paint: Paint;
  readonly paintError: Paint;
  readonly #out: ScreenStream;
  readonly #err: ScreenStream;
  #heldChunks: OutputChunk[] = [];
  #holdCount = 0;
  #isWarningJson = false;

  constructor(out: ScreenStream, err: ScreenStream, environment: Readonly<Record<string, string | undefined>>) {
    this.#out = out;
    this.#err = err;
    this.paint = choosePaint(out, environment);
    this.paintError = choosePaint(err, environment);
  }

  get isTerminal(): boolean {
    return this.#out.isTTY === true;
  }

  get width(): number {
    return this.isTerminal ? Math.max(40, this.#out.columns ?? 80) : 160;
  }

  /** The width at which lines wrap: unlimited unless the output is a terminal. Some terminals report no width. */
  get columns(): number {
    return this.isTerminal ? this.#out.columns || 80 : Infinity;
  }

  show(chunks: readonly OutputChunk[]): void {
    if (this.#holdCount > 0) this.#heldChunks.push(...chunks);
    else for (const { to, text } of chunks) (to === "out" ? this.#out : this.#err).write(text);
  }

  line(text = ""): void {
    this.show([{ to: "out", text: `${text}\n` }]);
  }

  /** Prints a message, wrapped at spaces. */
  message(text: string): void {
    for (const row of wrapMessage(text, this.columns)) this.line(row);
  }

  /** Prints a dimmed message, wrapped at spaces. */
  printHint(text: string): void {
    for (const row of wrapMessage(text, this.columns)) this.line(this.paint("dim", row));
  }

  /** Prints warnings as JSON from now on, for commands with `--json`. */
  printWarningsAsJson(): void {
    this.#isWarningJson = true;
  }

  /** Prints a warning to standard error: wrapped at spaces, or as one JSON value. */
  warn(text: string): void {
    if (this.#isWarningJson) return this.#error(toSafeJsonLine({ warning: { message: text } }));
    for (const row of wrapMessage(text, this.#errorColumns)) this.#error(this.paintError("yellow", row));
  }

  /** Prints the text of an error to standard error, wrapped at spaces. */
  printError(text: string): void {
    for (const row of wrapMessage(text.trimEnd(), this.#errorColumns)) this.#error(row);
  }

  /** Prints an error as one JSON value to standard error. */
  printJsonError(value: unknown): void {
    this.#error(toSafeJsonLine(value));
  }

  get #errorColumns(): number {
    return this.#err.isTTY === true ? this.#err.columns || 80 : Infinity;
  }

  #error(row: string): void {
    this.show([{ to: "err", text: `${row}\n` }]);
  }

  json(value: unknown): void {
    this.line(toSafeJsonLine(value));
  }

  /** Holds all output back until disposal. */
  hold(): Disposable {
    this.#holdCount += 1;
    return {
      [Symbol.dispose]: () => {
        this.#holdCount -= 1;
        if (this.#holdCount === 0) this.show(this.#heldChunks.splice(0));
      },
    };
  }
}
