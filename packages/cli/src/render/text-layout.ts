import stringWidth from "string-width";

const tabWidth = 8;
/** Measuring a character takes microseconds, and a text can have a million of them. */
const knownWidths = new Map<string, number>();
const maxKnownWidths = 4096;

/**
 * Returns how many cells of a terminal a character takes, at most. Counts combining marks as one cell, because some
 * terminals give them one. A line that is counted too wide wraps too early, which does no harm.
 */
export function cellWidth(character: string): number {
  if (character === "\t") return tabWidth;
  if (character >= " " && character <= "~") return 1; // most text
  const known = knownWidths.get(character);
  if (known !== undefined) return known;
  const width = Math.max(1, stringWidth(character));
  if (knownWidths.size < maxKnownWidths) knownWidths.set(character, width);
  return width;
}

/**
 * Wraps a text into rows that fit the terminal. If the terminal wrapped them, the rest of a row would start at the left
 * margin, and an agent's text could look like output of the CLI.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const rows: string[] = [];
    let [row, cells] = ["", 0];
    for (const character of line) {
      const characterCells = cellWidth(character);
      if (cells + characterCells > Math.max(2, width)) {
        rows.push(row);
        [row, cells] = ["", 0];
      }
      row += character;
      cells += characterCells;
    }
    return [...rows, row];
  });
}

/** Wraps a text and puts a prefix before each row. Both prefixes must have the same width. */
export function wrapWithPrefix(text: string, firstPrefix: string, otherPrefix: string, width: number): string[] {
  return wrapText(text, width - firstPrefix.length).map((row, at) => `${at === 0 ? firstPrefix : otherPrefix}${row}`);
}

/**
 * Wraps text at spaces after a prefix. The other rows are indented by the width of the prefix. A word that is wider than
 * the row stays whole.
 */
export function wrapWords(text: string, prefix: string, width: number): string[] {
  return joinWords(text.split(" "), prefix, width);
}

/**
 * Wraps a message of the CLI at spaces. Keeps a command at the end of a line whole, so that it can be copied, and leaves
 * indented lines as they are.
 */
export function wrapMessage(message: string, width: number): string[] {
  return message.split("\n").flatMap((line) => {
    if (line.startsWith(" ")) return [line];
    const colon = line.lastIndexOf(": fairlead ");
    const [sentence, command] = colon < 0 ? [line, []] : [line.slice(0, colon + 1), [line.slice(colon + 2)]];
    return joinWords([...sentence.split(" "), ...command], "", width);
  });
}

function joinWords(words: readonly string[], prefix: string, width: number): string[] {
  const margin = stringWidth(prefix);
  const indent = " ".repeat(margin);
  const [first = "", ...others] = words;
  const rows: string[] = [];
  let row = prefix + first;
  // Counted on: a row can be as long as the text, if the width is unlimited.
  let cells = margin + stringWidth(first);
  for (const word of others) {
    const wordCells = stringWidth(word);
    const fits = cells + 1 + wordCells <= width;
    if (!fits) rows.push(row);
    row = fits ? `${row} ${word}` : indent + word;
    cells = (fits ? cells + 1 : margin) + wordCells;
  }
  return [...rows, row];
}

/** Returns what fits into one row. Does not read the rest, which can be long. */
function firstRow(text: string, width: number): string {
  let [row, cells] = ["", 0];
  for (const character of text) {
    cells += cellWidth(character);
    if (character === "\n" || (cells > Math.max(2, width) && row !== "")) return row;
    row += character;
  }
  return row;
}

/** Cuts a line to a number of cells, with an ellipsis if something is left out. */
export function truncateLine(line: string, width: number): string {
  const first = firstRow(line, width);
  return first.length === line.length ? first : `${firstRow(line, width - 1)}…`;
}

export function formatMoreLines(count: number): string {
  return `… ${count} more ${count === 1 ? "line" : "lines"}`;
}

/** Aligns rows in columns, each as wide as its widest cell. The last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []; // not by `Math.max(...rows)`: a call cannot have a hundred thousand arguments
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, stringWidth(cell));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - stringWidth(cell))))
      .join("  ")
      .trimEnd(),
  );
}
