import { cut, firstLines, moreLines } from "./cut.ts";
import { jsonLine, plain, revealed } from "./plain.ts";

/** Fields that say what a call is about, the most telling first, whatever the tool. */
const tellingFields = ["command", "cmd", "path", "file_path", "filePath", "file", "pattern", "query", "url", "prompt"];
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

/** All of an input, for a person who is to allow it: nothing is hidden, and what is left out is counted. */
export function inputLines(input: unknown): string[] {
  if (!isRecord(input)) return valueLines(asText(input)).map((line) => `    ${line}`);
  return Object.entries(input).flatMap(([name, value]) => {
    const [first = "", ...others] = valueLines(asText(value));
    const label = `    ${revealed(name).replaceAll("\n", "\\n")}:`;
    return others.length === 0 ? [`${label} ${first}`] : [label, ...[first, ...others].map((line) => `      ${line}`)];
  });
}

function headOf(text: string, width: number, all: boolean): Head {
  const [first = "", ...others] = plain(text).trim().split("\n");
  const head = others.length === 0 ? cut(first, width) : `${cut(first, width - 2)} …`;
  return { text: head, whole: all && head === text };
}

function valueLines(text: string): string[] {
  const { lines, more } = firstLines(revealed(text), mostLines);
  return more === 0 ? [...lines] : [...lines, `${moreLines(more)}; [e]dit shows them all`];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : jsonLine(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
