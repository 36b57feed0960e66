import { sanitizeText } from "@fairlead/api";
import { StreamedText, type Delta } from "@fairlead/contract";
import type { Paint } from "./paint.ts";
import { SanitizingStream } from "./sanitizing-stream.ts";
import { cellWidth } from "./text-layout.ts";

type TextKind = "text" | "reasoning";

/** The margin before every line of an agent's text, so that none looks like output of the CLI. */
const margins = { text: "│", reasoning: "~" } as const;
/** The cells of a margin and the space after it. */
const marginWidth = 2;

/** Renders an agent's text from deltas. Remembers them, so that the complete text that follows is not shown again. */
export class AgentTextRenderer {
  readonly #paint: Paint;
  readonly #columns: number;
  #stream = new SanitizingStream();
  #kind: TextKind | null = null;
  /** An agent may reason while a text is open. */
  readonly #streamed: Readonly<Record<TextKind, StreamedText>> = {
    text: new StreamedText(),
    reasoning: new StreamedText(),
  };
  /** The column of the cursor. */
  #column = 0;
  /** The last word, held back until it is complete, because it moves to the next row as a whole. */
  #word = "";
  #wordCells = 0;

  /** `columns` is the width at which the terminal wraps lines. */
  constructor(paint: Paint, columns: number) {
    this.#paint = paint;
    this.#columns = columns;
  }

  /** The deltas of a text that is not complete yet. */
  get streamedText(): string {
    return this.#kind === "text" ? this.#streamed.text.deltas : "";
  }

  append({ type, text }: Delta): string {
    const kind = type === "text.delta" ? "text" : "reasoning";
    const shown = this.#streamed[kind].append(text);
    const prefix = this.#kind === kind ? "" : this.#begin(kind);
    return prefix + this.#write(this.#stream.push(shown));
  }

  /**
   * Renders a complete text or a part of one: what the deltas did not show. After a whole text and after the last part the
   * line ends.
   */
  complete(kind: TextKind, text: string, isLast = true): string {
    const streamed = this.#streamed[kind];
    const { isNew, isContinued } = streamed;
    // A client that joined in the middle of a text has received only its last deltas: then all of it is shown.
    const rest = streamed.end(text, isLast);
    const prefix = isNew || rest.isRepeat || this.#kind !== kind ? this.#begin(kind) : "";
    const shown = prefix + this.#write(this.#stream.push(rest.text));
    if (!isLast) return shown;
    const written = shown + this.#write(this.#stream.end());
    const end = this.breakLine();
    this.#kind = null;
    if (isContinued) return written + end;
    return (sanitizeText(text) === "" ? prefix : written) + end;
  }

  /** Forgets texts that the turn did not complete. */
  endTurn(): void {
    this.#streamed.text.clear();
    this.#streamed.reasoning.clear();
  }

  /** Ends the current line, so that other output can follow. */
  breakLine(): string {
    const lastWord = this.#dimReasoning(this.#flushWord());
    const end = this.#column > 0 ? "\n" : "";
    this.#column = 0;
    return lastWord + end;
  }

  #begin(kind: TextKind): string {
    const end = this.breakLine();
    this.#kind = kind;
    this.#stream = new SanitizingStream();
    return end;
  }

  #write(text: string): string {
    return this.#dimReasoning(Array.from(text, (character) => this.#addCharacter(character)).join(""));
  }

  #dimReasoning(text: string): string {
    return this.#kind === "reasoning" && text !== "" ? this.#paint("dim", text) : text;
  }

  get #margin(): string {
    return this.#kind === "reasoning" ? margins.reasoning : this.#paint("dim", margins.text);
  }

  /** Adds a character to the last word, or writes the word and what separates it from the next. */
  #addCharacter(character: string): string {
    if (character === "\n") {
      const written = this.#flushWord();
      const isLineStart = this.#column === 0;
      this.#column = 0;
      return `${written}${isLineStart ? this.#margin : ""}\n`;
    }
    const cells = cellWidth(character);
    if (character === " " || character === "\t") {
      const written = this.#flushWord();
      const isLineStart = this.#column === 0;
      // A space after a full row is left out. The next word starts another row.
      if (!isLineStart && this.#column + cells > this.#columns) return ((this.#column = this.#columns), written);
      return written + this.#placeWord(character, cells);
    }
    this.#word += character;
    this.#wordCells += cells;
    // A row may break after each wide character. A word that fills a row is broken anywhere.
    return cells > 1 || this.#wordCells >= this.#columns - marginWidth ? this.#flushWord() : "";
  }

  #flushWord(): string {
    const [word, cells] = [this.#word, this.#wordCells];
    [this.#word, this.#wordCells] = ["", 0];
    return word === "" ? "" : this.#placeWord(word, cells);
  }

  /** Places a word: after the margin at the start of a line, and on a new row if the current one has no space for it. */
  #placeWord(word: string, cells: number): string {
    const isLineStart = this.#column === 0;
    if (isLineStart) this.#column = marginWidth;
    const fits = this.#column + cells <= this.#columns || this.#column === marginWidth;
    this.#column = (fits ? this.#column : marginWidth) + cells;
    return `${isLineStart ? `${this.#margin} ` : fits ? "" : `\n${this.#margin} `}${word}`;
  }
}
