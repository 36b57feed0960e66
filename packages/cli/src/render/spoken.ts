import type { Delta } from "@fairlead/contract";
import type { Paint } from "./paint.ts";
import { PlainStream } from "./plain-stream.ts";
import { plain } from "./plain.ts";

type Kind = "text" | "reasoning";

/** Text as it comes. It remembers what it has shown, so that the whole that follows is not shown again. */
export class Spoken {
  readonly #paint: Paint;
  #stream = new PlainStream();
  #kind: Kind | null = null;
  /** The deltas since the last whole, as they came. */
  #heard = "";
  /** Whether the cursor stands somewhere in a line. */
  #midLine = false;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  /** What was heard of a text whose end has not come yet. */
  get heard(): string {
    return this.#kind === "text" ? this.#heard : "";
  }

  delta({ type, text }: Delta): string {
    const kind = type === "text.delta" ? "text" : "reasoning";
    const before = this.#kind === kind ? "" : this.breakLine() + this.#begin(kind);
    this.#heard += text;
    return before + this.#write(this.#stream.push(text));
  }

  /** The whole: what of it has not been shown yet, and the end of the line. */
  whole(kind: Kind, text: string): string {
    const shown = this.#kind === kind ? this.#heard : "";
    const rest = text.startsWith(shown) ? text.slice(shown.length) : null;
    // Whoever joins in the middle of a text has heard only its end: then the whole is new.
    const before = shown === "" || rest === null ? this.breakLine() + this.#begin(kind) : "";
    const written = before + this.#write(this.#stream.push(rest ?? text)) + this.#write(this.#stream.end());
    const end = this.breakLine();
    this.#kind = null;
    this.#heard = "";
    return plain(text) === "" ? end : written + end;
  }

  /** Ends the line that the cursor is in, so that something else can be shown. */
  breakLine(): string {
    const end = this.#midLine ? "\n" : "";
    this.#midLine = false;
    return end;
  }

  #begin(kind: Kind): string {
    this.#kind = kind;
    this.#heard = "";
    this.#stream = new PlainStream();
    if (kind === "text") return "";
    this.#midLine = true;
    return this.#paint("dim", "~ ");
  }

  #write(text: string): string {
    if (text === "") return "";
    this.#midLine = !text.endsWith("\n");
    return this.#kind === "reasoning" ? this.#paint("dim", text) : text;
  }
}
