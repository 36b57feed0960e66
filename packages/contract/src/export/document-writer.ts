import type { Quoting } from "./quoting.ts";

/** Markdown that may be written as it is: literals of this folder, with all other text quoted. */
export class QuotedMarkdown {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type TemplateValue = string | number | QuotedMarkdown;

/** Text of others below an entry, with a line that names it. */
export interface QuotedBlock {
  readonly label?: QuotedMarkdown;
  readonly text: string;
}

/** Writes the parts of a Markdown document. Text of others enters it only through the quoting. */
export class DocumentWriter {
  readonly #quoting: Quoting;

  constructor(quoting: Quoting) {
    this.#quoting = quoting;
  }

  /** Template tag: numbers and quoted Markdown stay as they are, and strings become code spans. */
  readonly words = (literals: TemplateStringsArray, ...values: readonly TemplateValue[]): QuotedMarkdown =>
    new QuotedMarkdown(
      literals.reduce((text, literal, at) => `${text}${this.#toText(values[at - 1] ?? "")}${literal}`),
    );

  /** A value of a closed set. Anything that is not one plain word is quoted. */
  keyword(value: string): QuotedMarkdown {
    return new QuotedMarkdown(/^[A-Za-z-]{1,40}$/.test(value) ? value : this.#quoting.span(value));
  }

  /** A time, always in the same form. */
  time(value: string): QuotedMarkdown {
    const time = new Date(value);
    return new QuotedMarkdown(Number.isNaN(time.getTime()) ? this.#quoting.span(value) : time.toISOString());
  }

  /** Names and values of fields. Leaves out what is undefined. */
  fields(values: Readonly<Record<string, unknown>>): QuotedMarkdown {
    const known = Object.entries(values).filter(([, value]) => value !== undefined);
    const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
    return this.join(
      known.map(([name, value]) => this.words`${this.keyword(name)} ${toText(value)}`),
      ", ",
    );
  }

  /** Joins what is not null. */
  join(parts: readonly (QuotedMarkdown | null)[], separator: " · " | ", " | "\n- "): QuotedMarkdown {
    const texts = parts.filter((part) => part !== null).map(({ text }) => text);
    return new QuotedMarkdown(texts.join(separator));
  }

  heading(level: 1 | 2 | 3, title: QuotedMarkdown): string {
    return `${"#".repeat(level)} ${title.text}\n\n`;
  }

  paragraph({ text }: QuotedMarkdown): string {
    return `${text}\n\n`;
  }

  list(items: readonly (QuotedMarkdown | null)[]): string {
    return `- ${this.join(items, "\n- ").text}\n\n`;
  }

  /** Writes a block below a paragraph. Two blocks need a label in between: without it, they would be one. */
  block({ label, text }: QuotedBlock): string {
    const name = label === undefined ? "" : this.paragraph(label);
    // A code block without a visible character is no block.
    if (text.trim() === "") return `${name}${text === "" ? "(empty)" : this.#quoting.span(text)}\n\n`;
    return `${name}${this.#quoting.block(text)}\n\n`;
  }

  #toText(value: TemplateValue): string {
    if (typeof value === "number") return String(value);
    return typeof value === "string" ? this.#quoting.span(value) : value.text;
  }
}
