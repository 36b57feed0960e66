import type { DoubleQuotedChild, Word, WordPart } from "unbash";
import type { ShellWord, ShellWordPart } from "./shell-reading.ts";

/** The values of variables that a text assigns once and unconditionally, so that they are known afterwards. */
export type ShellVariables = ReadonlyMap<string, string>;

/** A brace expansion with more alternatives is unknown. */
const maxAlternatives = 32;
/** In an unquoted value the shell splits at blanks and expands patterns. */
const expandsFurther = /[\s*?[\]{}~\\]/;

type WordText = Pick<Word, "text" | "value" | "parts">;

/** Reads a word. A word with braces is several arguments. */
export function readWord(word: WordText, variables: ShellVariables): ShellWord[] {
  const alternatives = expandBraces(word);
  if (alternatives !== null) return alternatives.map((value) => knownWord(value, word.text));
  const parts = (word.parts ?? []).flatMap((part) => readPart(part, variables));
  if (word.parts === undefined || word.parts.length === 0) return [knownWord(word.value, word.text)];
  return [createWord(word.text, parts)];
}

/** Creates the word for an exact argument. */
export function knownWord(value: string, text: string = value): ShellWord {
  return { text, value, parts: [{ kind: "text", value }] };
}

/** Creates the word for an argument about which nothing is known. */
export function unknownWord(text: string): ShellWord {
  return { text, value: null, parts: [{ kind: "unknown" }] };
}

/** Creates a word of parts. */
export function createWord(text: string, parts: readonly ShellWordPart[]): ShellWord {
  const merged: ShellWordPart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.kind === "text" && last?.kind === "text")
      merged[merged.length - 1] = { kind: "text", value: last.value + part.value };
    else merged.push(part);
  }
  const [first] = merged;
  const isKnown = merged.length === 0 || (merged.length === 1 && first?.kind === "text");
  return { text, value: isKnown ? (first?.kind === "text" ? first.value : "") : null, parts: merged };
}

/** Joins the elements of an array, or returns the only one. */
export function joinValues(words: readonly ShellWord[]): ShellWord {
  const [first] = words;
  if (words.length === 1 && first !== undefined) return first;
  const parts = words.flatMap((word) => [...word.parts, { kind: "text", value: " " } as const]);
  return createWord(words.map(({ text }) => text).join(" "), words.length === 0 ? [] : [...parts, { kind: "unknown" }]);
}

function readPart(part: WordPart, variables: ShellVariables): ShellWordPart[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "text", value: part.value }];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.flatMap((inner) => readQuoted(inner, variables));
    case "Glob":
      return [{ kind: "glob", value: part.text }];
    case "SimpleExpansion":
    case "ParameterExpansion": {
      const value = resolveVariable(part, variables);
      return value === null || expandsFurther.test(value) ? [readVariable(part)] : [{ kind: "text", value }];
    }
    default:
      return [{ kind: "unknown" }];
  }
}

function readQuoted(part: DoubleQuotedChild, variables: ShellVariables): ShellWordPart[] {
  if (part.type === "Literal") return [{ kind: "text", value: part.value }];
  if (part.type !== "SimpleExpansion" && part.type !== "ParameterExpansion") return [{ kind: "unknown" }];
  const value = resolveVariable(part, variables);
  return [value === null ? readVariable(part) : { kind: "text", value }];
}

type VariablePart = Extract<WordPart, { type: "SimpleExpansion" | "ParameterExpansion" }>;

function resolveVariable(part: VariablePart, variables: ShellVariables): string | null {
  const isPlain = part.type === "SimpleExpansion" || /^\$\{\w+\}$/.test(part.text);
  return isPlain ? (variables.get(variableName(part)) ?? null) : null;
}

function readVariable(part: VariablePart): ShellWordPart {
  return { kind: "variable", name: variableName(part) };
}

function variableName(part: VariablePart): string {
  return part.type === "SimpleExpansion" ? part.text.slice(1) : part.parameter;
}

/** Expands a word that is one list of plain alternatives with text around it; null for any other word. */
function expandBraces(word: WordText): string[] | null {
  const parts = word.parts ?? [];
  if (parts.filter(({ type }) => type === "BraceExpansion").length !== 1) return null;
  if (!parts.every(({ type }) => type === "BraceExpansion" || type === "Literal")) return null;
  let alternatives = [""];
  for (const part of parts) {
    const texts =
      part.type === "BraceExpansion" ? plainAlternatives(part.text) : [part.type === "Literal" ? part.value : ""];
    if (texts === null || texts.length > maxAlternatives) return null;
    alternatives = alternatives.flatMap((start) => texts.map((text) => start + text));
  }
  return alternatives;
}

function plainAlternatives(text: string): string[] | null {
  return /^\{[\w./,:@%+=-]*\}$/.test(text) && text.includes(",") && !text.includes("..")
    ? text.slice(1, -1).split(",")
    : null;
}
