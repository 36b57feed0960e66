import type { ToolKind } from "@agentclientprotocol/sdk";

/** Patterns for tool names, in order of precedence: `TodoWrite` is not an edit, and a tool that edits may also read. */
const kindPatterns: readonly (readonly [ToolKind, RegExp])[] = [
  ["think", /think|todo|plan/],
  ["execute", /bash|shell|exec|command|terminal|^run/],
  ["fetch", /fetch|web|http|url|browse/],
  ["delete", /delete|remove/],
  ["move", /move|rename/],
  ["edit", /write|edit|patch|create|replace|insert/],
  ["search", /search|grep|glob|find|list/],
  ["read", /read|view|open|cat$/],
];

/** Guesses the kind of a tool from its name. Only for the icon in the editor; no decision depends on it. */
export function toolKind(name: string): ToolKind {
  const lower = name.toLowerCase();
  return kindPatterns.find(([, pattern]) => pattern.test(lower))?.[0] ?? "other";
}

/** Input fields that name the subject of a call, in the spelling of different agents. */
const subjectKeys = [
  "command",
  "cmd",
  "path",
  "file_path",
  "filePath",
  "pattern",
  "query",
  "url",
  "title",
  "description",
];

/** Describes a call in one line: the tool's name, and its subject if the input has one. */
export function toolTitle(name: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return name;
  const values = subjectKeys.map((key) => (input as Readonly<Record<string, unknown>>)[key]);
  const subject = values.find((value): value is string => typeof value === "string" && value.trim() !== "");
  return subject === undefined ? name : `${name} ${subject.trim().replaceAll(/\s+/g, " ")}`;
}
