import type { ToolKind } from "@agentclientprotocol/sdk";

/** By the words in a tool's name, in this order: a list of tasks is written too, and what edits may also read. */
const kinds: readonly (readonly [ToolKind, RegExp])[] = [
  ["think", /think|todo|plan/],
  ["execute", /bash|shell|exec|command|terminal|^run/],
  ["fetch", /fetch|web|http|url|browse/],
  ["delete", /delete|remove/],
  ["move", /move|rename/],
  ["edit", /write|edit|patch|create|replace|insert/],
  ["search", /search|grep|glob|find|list/],
  ["read", /read|view|open|cat$/],
];

/** What sort of tool it is, for the icon that an editor shows. Nothing is decided by it. */
export function toolKind(name: string): ToolKind {
  const lower = name.toLowerCase();
  return kinds.find(([, words]) => words.test(lower))?.[0] ?? "other";
}

/** Where an input says what it is about, in the words that agents have for it. */
const subjects = ["command", "cmd", "path", "file_path", "filePath", "pattern", "query", "url", "title", "description"];

/** A call in a line: the tool's name, and what it is about as far as the input tells. */
export function toolTitle(name: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return name;
  const values = subjects.map((key) => (input as Readonly<Record<string, unknown>>)[key]);
  const subject = values.find((value): value is string => typeof value === "string" && value.trim() !== "");
  return subject === undefined ? name : `${name} ${subject.trim().replaceAll(/\s+/g, " ")}`;
}
