import { escapeInvisible, toSafeJsonLine } from "@fairlead/contract";
import { formatMoreLines, wrapWithPrefix, takeFirstLines, type TruncatedLines, truncateLine } from "./text-layout.ts";
import { noPaint, type Paint } from "./paint.ts";
import { sanitizeText } from "./sanitize-text.ts";

/** Input fields that summarize a call of any tool, best first. */
const summaryFields = ["command", "cmd", "path", "file_path", "filePath", "file", "pattern", "query", "url", "prompt"];
/** The number of lines of a field that are shown unless all are wanted. */
export const maxInputLines = 40;

/** A line that summarizes an input. `whole` means that it leaves out nothing. */
export interface InputHeading {
  readonly text: string;
  readonly whole: boolean;
}

/** `clean` removes or escapes what controls a terminal. */
export function inputHeading(input: unknown, width: number, clean = sanitizeText): InputHeading {
  if (input === undefined || input === null) return { text: "", whole: true };
  if (!isRecord(input)) return makeHeading(toText(input), width, true, clean);
  const names = Object.keys(input);
  if (names.length === 0) return { text: "", whole: true };
  const summaryField =
    summaryFields.find((name) => name in input) ?? names.find((name) => typeof input[name] === "string");
  if (summaryField === undefined) return { ...makeHeading(toSafeJsonLine(input), width, false, clean) };
  const value = input[summaryField];
  return makeHeading(toText(value), width, names.length === 1 && typeof value === "string", clean);
}

export interface InputOptions {
  readonly paint?: Paint;
  /** Show all of it, however long. */
  readonly full?: boolean;
  /** The width at which the terminal wraps lines. */
  readonly columns?: number;
}

/** Renders an input for approval: escapes invisible characters and counts the lines that it leaves out. */
export function inputLines(input: unknown, options: InputOptions = {}): string[] {
  const { paint = noPaint, full = false, columns = Infinity } = options;
  const renderValue = (value: unknown, indent: string): string[] => {
    const { lines, more } = valueLines(value, full ? Infinity : maxInputLines);
    const valueRows = wrapWithPrefix(lines.join("\n"), indent, indent, columns);
    return more === 0 ? valueRows : [...valueRows, indent + paint("yellow", `${formatMoreLines(more)}, NOT SHOWN`)];
  };
  if (!isRecord(input)) return renderValue(input, "    ");
  return Object.entries(input).flatMap(([name, value]) => {
    const label = `${escapeInvisible(name).replaceAll("\n", "\\n")}:`;
    const { lines } = valueLines(value, 2);
    if (lines.length === 1) return wrapWithPrefix(`${label} ${lines[0]}`, "    ", "      ", columns - 2);
    return [...wrapWithPrefix(label, "    ", "      ", columns - 2), ...renderValue(value, "      ")];
  });
}

/** Counts the lines of an input that are left out unless all are shown. */
export function hiddenLines(input: unknown): number {
  const values = isRecord(input) ? Object.values(input) : [input];
  return values.map((value) => valueLines(value, maxInputLines).more).reduce((sum, more) => sum + more, 0);
}

function makeHeading(
  text: string,
  width: number,
  isWholeInput: boolean,
  clean: (text: string) => string,
): InputHeading {
  const [first = "", ...others] = clean(text).trim().split("\n");
  const head = others.length === 0 ? truncateLine(first, width) : `${truncateLine(first, width - 2)} …`;
  return { text: head, whole: isWholeInput && head === text };
}

function valueLines(value: unknown, limit: number): TruncatedLines {
  return takeFirstLines(escapeInvisible(toText(value)), limit);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : toSafeJsonLine(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
