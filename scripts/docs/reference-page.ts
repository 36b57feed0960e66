import MarkdownIt, { type Token } from "markdown-it";

/** A part of a page of the reference: from a heading, or from a line in bold, to the next one. */
export interface ReferenceSection {
  /** The text of the heading, and the code in it. */
  readonly titles: readonly string[];
  readonly rows: readonly ReferenceRow[];
}

/** The names in a row of a table. */
export interface ReferenceRow {
  /** Those in the first cell, which the row is about. */
  readonly subjects: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

const parser = new MarkdownIt({ html: true });

/** Reads the names in a page of the reference. Text in code blocks does not count: an example is no documentation. */
export function parseReferencePage(text: string): ReferenceSection[] {
  let section = createSection([]);
  const sections = [section];
  let row: { subjects: Set<string>; names: Set<string>; cells: number } | null = null;
  let isHeading = false;
  for (const token of parser.parse(text, {})) {
    if (token.type === "tr_open") {
      row = { subjects: new Set(), names: new Set(), cells: 0 };
      section.rows.push(row);
    }
    if (token.type === "tr_close") row = null;
    if (token.type === "td_open" && row !== null) row.cells += 1;
    if (token.type === "inline") {
      const children = token.children ?? [];
      if (isHeading || isBold(children)) {
        const plainText = children.map(({ content }) => content).join("");
        section = createSection([plainText, ...findCode(children)]);
        sections.push(section);
      }
      for (const name of findCode(children).flatMap(splitNames)) {
        row?.names.add(name);
        if (row?.cells === 1) row.subjects.add(name);
      }
    }
    isHeading = token.type === "heading_open";
  }
  return sections;
}

function createSection(titles: readonly string[]): { titles: readonly string[]; rows: ReferenceRow[] } {
  return { titles, rows: [] };
}

/** A paragraph that is bold as a whole is the title of the table after it. */
function isBold(children: readonly Token[]): boolean {
  const visible = children.filter(({ type, content }) => type !== "text" || content !== "");
  const closings = visible.filter(({ type }) => type === "strong_close");
  return visible[0]?.type === "strong_open" && visible.at(-1)?.type === "strong_close" && closings.length === 1;
}

function findCode(children: readonly Token[]): string[] {
  return children.filter(({ type }) => type === "code_inline").map(({ content }) => content);
}

/** Splits code such as `-w, --workspace <folder>`, `[prompt...]` and `name?` into the names in it. */
function splitNames(code: string): string[] {
  const words = code.split(/[\s,]+/).map((word) => word.replace(/^[<[]/, "").replace(/(?:\.\.\.)?[>\]]$|\?$/, ""));
  return [code, ...words];
}
