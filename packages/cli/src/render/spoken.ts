import type { Delta } from "@fairlead/contract";
import type { Paint } from "./paint.ts";
import { PlainStream } from "./plain-stream.ts";
import { plain } from "./plain.ts";
import { cellsOf } from "./rows.ts";

type Kind = "text" | "reasoning";

/** What stands before every line of an agent's words, so that none of them looks like one of ours. */
const margins = { text: "│", reasoning: "~" } as const;

/** Text as it comes. It remembers what it has shown, so that the whole that follows is not shown again. */
export class Spoken {
  readonly #paint: Paint;
  readonly #columns: number;
  #stream = new PlainStream();
  #kind: Kind | null = null;
  /** The deltas since the last whole, as they came. */
  #heard = "";
  /** Where the cursor stands. */
  #column = 0;

  /** `columns`: how wide a line can be before the terminal breaks it. */
  constructor(paint: Paint, columns: number) {
    this.#paint = paint;
    this.#columns = columns;
  }

  /** What was heard of a text whose end has not come yet. */
  get heard(): string {
    return this.#kind === "text" ? this.#heard : "";
  }

  delta({ type, text }: Delta): string {
    const kind = type === "text.delta" ? "text" : "reasoning";
    const before = this.#kind === kind ? "" : this.#begin(kind);
    this.#heard += text;
    return before + this.#write(this.#stream.push(text));
  }

  /** The whole: what of it has not been shown yet, and the end of the line. */
  whole(kind: Kind, text: string): string {
    const shown = this.#kind === kind ? this.#heard : "";
    const rest = text.startsWith(shown) ? text.slice(shown.length) : null;
    // Whoever joins in the middle of a text has heard only its end: then the whole is new.
    const before = shown === "" || rest === null ? this.#begin(kind) : "";
    const written = before + this.#write(this.#stream.push(rest ?? text)) + this.#write(this.#stream.end());
    const end = this.breakLine();
    this.#kind = null;
    this.#heard = "";
    return plain(text) === "" ? end : written + end;
  }

  /** Ends the line that the cursor is in, so that something else can be shown. */
  breakLine(): string {
    const end = this.#column > 0 ? "\n" : "";
    this.#column = 0;
    return end;
  }

  #begin(kind: Kind): string {
    this.#kind = kind;
    this.#heard = "";
    this.#stream = new PlainStream();
    return this.breakLine();
  }

  #write(text: string): string {
    const kind = this.#kind ?? "text";
    const margin = kind === "text" ? this.#paint("dim", margins.text) : margins.reasoning;
    const written = Array.from(text, (character) => this.#place(character, margin)).join("");
    return kind === "reasoning" && written !== "" ? this.#paint("dim", written) : written;
  }

  /** A character where it belongs: behind a margin at the beginning of a line, and in a new line where there is no room. */
  #place(character: string, margin: string): string {
    const starts = this.#column === 0;
    if (character === "\n") {
      this.#column = 0;
      return starts ? `${margin}\n` : "\n";
    }
    if (starts) this.#column = 2;
    const cells = cellsOf(character);
    const fits = this.#column + cells <= this.#columns || this.#column === 2;
    this.#column = (fits ? this.#column : 2) + cells;
    return `${starts ? `${margin} ` : fits ? "" : `\n${margin} `}${character}`;
  }
}
