export type TextColor = "default" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Text of one color that starts at a column of a row. */
export interface TextRun {
  readonly column: number;
  readonly text: string;
  readonly color: TextColor;
  readonly isBold: boolean;
}

export type ScreenRow = readonly TextRun[];

export interface CursorPosition {
  readonly column: number;
  readonly row: number;
}

/** What a terminal shows at one moment. */
export interface Screen {
  readonly rows: readonly ScreenRow[];
  /** Null while the cursor is hidden. */
  readonly cursor: CursorPosition | null;
}

const ansiColors: Readonly<Record<number, TextColor>> = {
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
};

/** Characters that a terminal shows two columns wide. */
const wideCharacter =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;

interface Style {
  color: TextColor;
  isBold: boolean;
  isDim: boolean;
}

/** Reads the rows that `tmux capture-pane -e` prints. Attributes continue from one row to the next. */
export function parseRows(lines: readonly string[]): ScreenRow[] {
  const style: Style = { color: "default", isBold: false, isDim: false };
  return lines.map((line) => parseRow(line, style));
}

function parseRow(line: string, style: Style): ScreenRow {
  const runs: TextRun[] = [];
  let column = 0;
  // oxlint-disable-next-line no-control-regex
  for (const [token, codes] of line.matchAll(/\u001B\[([\d;]*)m|[ -~]+|[^\u001B]|\u001B/gu)) {
    if (codes !== undefined) applyAttributes(style, codes);
    else {
      if (token === "\u001B" || wideCharacter.test(token))
        throw new Error(`The picture cannot show ${JSON.stringify(token)} in ${JSON.stringify(line)}.`);
      const { isBold } = style;
      const text = token.trimEnd();
      const indent = text.length - text.trimStart().length;
      const color = style.isDim && style.color === "default" ? "dim" : style.color;
      if (text !== "") runs.push({ column: column + indent, text: text.trimStart(), color, isBold });
      column += Array.from(token).length;
    }
  }
  return runs;
}

function applyAttributes(style: Style, codes: string): void {
  for (const code of codes.split(";").map(Number)) {
    const color = ansiColors[code];
    if (color !== undefined) style.color = color;
    else if (code === 0) Object.assign(style, { color: "default", isBold: false, isDim: false });
    else if (code === 1) style.isBold = true;
    else if (code === 2) style.isDim = true;
    else if (code === 22) style.isBold = style.isDim = false;
    else if (code === 39) style.color = "default";
    // A picture that drops an attribute would differ from the terminal without notice.
    else if (code !== 49) throw new Error(`The picture cannot show the text attribute ${code}.`);
  }
}

/** Returns the text of a row with its spaces. */
export function rowText(row: readonly Pick<TextRun, "column" | "text">[]): string {
  let text = "";
  for (const run of row) text = text.padEnd(run.column) + run.text;
  return text;
}

/** Returns the text of rows without the empty rows at the end. */
export function rowsText(rows: readonly (readonly Pick<TextRun, "column" | "text">[])[]): string {
  return rows.map(rowText).join("\n").trimEnd();
}
