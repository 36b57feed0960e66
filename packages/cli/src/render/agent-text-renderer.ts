import type { Delta } from "@fairlead/contract";
import type { Paint } from "./paint.ts";
import { SanitizingStream } from "./sanitizing-stream.ts";
import { sanitizeText } from "./sanitize-text.ts";
import { cellWidth } from "./text-layout.ts";

type TextKind = "text" | "reasoning";

/** The margin before every line of an agent's text, so that none looks like output of the CLI. */
const margins = { text: "│", reasoning: "~" } as const;

/** Renders an agent's text from deltas. Remembers them, so that the complete text that follows is not shown again. */
export class AgentTextRenderer {
  readonly #paint: Paint;
  readonly #columns: number;
  #stream = new SanitizingStream();
  #kind: TextKind | null = null;
  /** The deltas since the last complete text. */
  #streamedText = "";
  /** The column of the cursor. */
  #column = 0;

  /** `columns` is the width at which the terminal wraps lines. */
  constructor(paint: Paint, columns: number) {
    this.#paint = paint;
    this.#columns = columns;
  }

  /** The deltas of a text that is not complete yet. */
  get streamedText(): string {
    return this.#kind === "text" ? this.#streamedText : "";
  }

  append({ type, text }: Delta): string {
    const kind = type === "text.delta" ? "text" : "reasoning";
    const prefix = this.#kind === kind ? "" : this.#begin(kind);
    this.#streamedText += text;
    return prefix + this.#write(this.#stream.push(text));
  }

  /** Renders a complete text: the part that the deltas did not show, and the end of the line. */
  complete(kind: TextKind, text: string): string {
    const alreadyShown = this.#kind === kind ? this.#streamedText : "";
    const rest = text.startsWith(alreadyShown) ? text.slice(alreadyShown.length) : null;
    // A client that joined in the middle of a text has received only its last deltas: then all of it is shown.
    const prefix = alreadyShown === "" || rest === null ? this.#begin(kind) : "";
    const written = prefix + this.#write(this.#stream.push(rest ?? text)) + this.#write(this.#stream.end());
    const end = this.breakLine();
    this.#kind = null;
    this.#streamedText = "";
    return sanitizeText(text) === "" ? end : written + end;
  }

  /** Ends the current line, so that other output can follow. */
  breakLine(): string {
    const end = this.#column > 0 ? "\n" : "";
    this.#column = 0;
    return end;
  }

  #begin(kind: TextKind): string {
    this.#kind = kind;
    this.#streamedText = "";
    this.#stream = new SanitizingStream();
    return this.breakLine();
  }

  #write(text: string): string {
    const kind = this.#kind ?? "text";
    const margin = kind === "text" ? this.#paint("dim", margins.text) : margins.reasoning;
    const written = Array.from(text, (character) => this.#placeCharacter(character, margin)).join("");
    return kind === "reasoning" && written !== "" ? this.#paint("dim", written) : written;
  }

  /** Places a character: after the margin at the start of a line, and on a new line if the current one is full. */
  #placeCharacter(character: string, margin: string): string {
    const isLineStart = this.#column === 0;
    if (character === "\n") {
      this.#column = 0;
      return isLineStart ? `${margin}\n` : "\n";
    }
    if (isLineStart) this.#column = 2;
    const cells = cellWidth(character);
    const fits = this.#column + cells <= this.#columns || this.#column === 2;
    this.#column = (fits ? this.#column : 2) + cells;
    return `${isLineStart ? `${margin} ` : fits ? "" : `\n${margin} `}${character}`;
  }
}
