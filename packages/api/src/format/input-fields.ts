import { escapeInvisible, toSafeJsonLine } from "@fairlead/contract";
import { escapeLine } from "./escape-line.ts";
import { takeFirstLines } from "./first-lines.ts";

/** Input fields that summarize a call of any tool, best first. */
const summaryFields = ["command", "cmd", "path", "file_path", "filePath", "file", "pattern", "query", "url", "prompt"];
/** The number of lines of a field that are shown unless all are wanted. */
export const maxInputLines = 40;

/** A field of a call's input as a person who decides about it sees it: with invisible characters escaped. */
export interface InputField {
  /** Null if the input is a single value without fields. */
  readonly name: string | null;
  readonly lines: readonly string[];
  /** The number of lines that are left out. */
  readonly hiddenCount: number;
}

/** Lists the fields of an input. Lines are never cut, because the end of a line would also run. */
export function listInputFields(input: unknown, limit: number = maxInputLines): InputField[] {
  if (input === undefined) return [];
  if (!isRecord(input)) return [toField(null, input, limit)];
  return Object.entries(input).map(([name, value]) => toField(escapeLine(name), value, limit));
}

/** Counts the lines of an input that are left out unless all are shown. */
export function hiddenLines(input: unknown): number {
  return listInputFields(input).reduce((sum, { hiddenCount }) => sum + hiddenCount, 0);
}

/** The text that summarizes an input. `isWhole` means that the input has nothing else. */
export interface InputSummary {
  readonly text: string;
  readonly isWhole: boolean;
}

export function summarizeInput(input: unknown): InputSummary {
  if (input === undefined || input === null) return { text: "", isWhole: true };
  if (!isRecord(input)) return { text: toText(input), isWhole: true };
  const names = Object.keys(input);
  if (names.length === 0) return { text: "", isWhole: true };
  const summaryField =
    summaryFields.find((name) => name in input) ?? names.find((name) => typeof input[name] === "string");
  if (summaryField === undefined) return { text: toSafeJsonLine(input), isWhole: false };
  const value = input[summaryField];
  return { text: toText(value), isWhole: names.length === 1 && typeof value === "string" };
}

function toField(name: string | null, value: unknown, limit: number): InputField {
  const { lines, more } = takeFirstLines(escapeInvisible(toText(value)), limit);
  return { name, lines, hiddenCount: more };
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : toSafeJsonLine(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
