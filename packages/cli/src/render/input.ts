import { cut, firstLines, moreLines, type CutLines } from "./cut.ts";
import { unpainted, type Paint } from "./paint.ts";
import { jsonLine, plain, revealed } from "./plain.ts";
import { headedRows } from "./rows.ts";

/** Fields that say what a call is about, the most telling first, whatever the tool. */
const tellingFields = ["command", "cmd", "path", "file_path", "filePath", "file", "pattern", "query", "url", "prompt"];
/** How many lines of a field are shown, unless somebody wants to see all. */
const mostLines = 40;

/** The one line that stands for an input. `whole` means that it leaves out nothing at all. */
export interface Head {
  readonly text: string;
  readonly whole: boolean;
}

export function inputHead(input: unknown, width: number): Head {
  if (input === undefined || input === null) return { text: "", whole: true };
  if (!isRecord(input)) return headOf(asText(input), width, true);
  const names = Object.keys(input);
  if (names.length === 0) return { text: "", whole: true };
  const telling = tellingFields.find((name) => name in input) ?? names.find((name) => typeof input[name] === "string");
  if (telling === undefined) return { ...headOf(jsonLine(input), width, false) };
  const value = input[telling];
  return headOf(asText(value), width, names.length === 1 && typeof value === "string");
}

export interface InputOptions {
  readonly paint?: Paint;
  /** All of it, however long. */
  readonly full?: boolean;
  /** How wide a line can be before the terminal breaks it. */
  readonly columns?: number;
}

/** An input for a person who is to allow it: nothing is disguised, and what is left out is counted. */
export function inputLines(input: unknown, options: InputOptions = {}): string[] {
  const { paint = unpainted, full = false, columns = Infinity } = options;
  const shown = (value: unknown, indent: string): string[] => {
    const { lines, more } = valueLines(value, full ? Infinity : mostLines);
    const told = headedRows(lines.join("\n"), indent, indent, columns);
    return more === 0 ? told : [...told, indent + paint("yellow", `${moreLines(more)}, NOT SHOWN`)];
  };
  if (!isRecord(input)) return shown(input, "    ");
  return Object.entries(input).flatMap(([name, value]) => {
    const label = `${revealed(name).replaceAll("\n", "\\n")}:`;
    const { lines } = valueLines(value, 2);
    if (lines.length === 1) return headedRows(`${label} ${lines[0]}`, "    ", "      ", columns - 2);
    return [...headedRows(label, "    ", "      ", columns - 2), ...shown(value, "      ")];
  });
}

/** How many lines of an input are left out unless all of it is shown. */
export function hiddenLines(input: unknown): number {
  const values = isRecord(input) ? Object.values(input) : [input];
  return values.map((value) => valueLines(value, mostLines).more).reduce((sum, more) => sum + more, 0);
}

function headOf(text: string, width: number, all: boolean): Head {
  const [first = "", ...others] = plain(text).trim().split("\n");
  const head = others.length === 0 ? cut(first, width) : `${cut(first, width - 2)} …`;
  return { text: head, whole: all && head === text };
}

function valueLines(value: unknown, most: number): CutLines {
  return firstLines(revealed(asText(value)), most);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : jsonLine(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
