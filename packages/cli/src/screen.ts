import type { Paint } from "./render/paint.ts";
import { paintFor } from "./render/paint.ts";
import type { Piece } from "./render/piece.ts";
import { jsonLine } from "./render/plain.ts";

export interface ScreenStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Where the CLI writes. While a person is being asked something, everything else waits. */
export class Screen {
  readonly paint: Paint;
  readonly paintError: Paint;
  readonly #out: ScreenStream;
  readonly #err: ScreenStream;
  #waiting: Piece[] = [];
  #holds = 0;

  constructor(out: ScreenStream, err: ScreenStream, environment: Readonly<Record<string, string | undefined>>) {
    this.#out = out;
    this.#err = err;
    this.paint = paintFor(out, environment);
    this.paintError = paintFor(err, environment);
  }

  get isTerminal(): boolean {
    return this.#out.isTTY === true;
  }

  get width(): number {
    return this.isTerminal ? Math.max(40, this.#out.columns ?? 80) : 160;
  }

  /** How wide a line can be before it is broken; nobody breaks lines but a terminal. Some do not know their width. */
  get columns(): number {
    return this.isTerminal ? this.#out.columns || 80 : Infinity;
  }

  show(pieces: readonly Piece[]): void {
    if (this.#holds > 0) this.#waiting.push(...pieces);
    else for (const { to, text } of pieces) (to === "out" ? this.#out : this.#err).write(text);
  }

  line(text = ""): void {
    this.show([{ to: "out", text: `${text}\n` }]);
  }

  /** A line that is there if one looks for it. */
  aside(text: string): void {
    this.line(this.paint("dim", text));
  }

  warn(text: string): void {
    this.show([{ to: "err", text: `${this.paintError("yellow", text)}\n` }]);
  }

  json(value: unknown): void {
    this.line(jsonLine(value));
  }

  /** Lets nothing through until disposed of. */
  hold(): Disposable {
    this.#holds += 1;
    return {
      [Symbol.dispose]: () => {
        this.#holds -= 1;
        if (this.#holds === 0) this.show(this.#waiting.splice(0));
      },
    };
  }
}
