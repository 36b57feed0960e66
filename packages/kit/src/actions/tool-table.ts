import type { ToolAction, ToolActionKind } from "@fairlead/contract";
import { createToolAction } from "./tool-action.ts";

/** How to read the input of a tool. The values are names of its fields, separated by blanks. */
export interface ToolFields {
  readonly kind: ToolActionKind;
  /** The shell text, or the list of arguments. */
  readonly command?: string;
  /** The folder in which the command runs. */
  readonly folder?: string;
  /** Paths, patterns of paths, or lists of them. */
  readonly paths?: string;
  readonly urls?: string;
  /** Fields that change neither what runs nor which files and hosts are used. */
  readonly details?: string;
  /** Set if the tool does more than its input says. */
  readonly incomplete?: true;
}

type FieldMeaning = "command" | "folder" | "path" | "url" | "detail";

interface ToolReader {
  readonly kind: ToolActionKind;
  readonly meanings: ReadonlyMap<string, FieldMeaning>;
  readonly incomplete: boolean;
}

/** Longer lists than an action can have are cut before they are copied. */
const maxListLength = 10_000;

/** The tools of an agent, by name. */
export type ToolTable = ReadonlyMap<string, ToolReader>;

/** Creates the table of an agent's tools. */
export function toolTable(tools: Readonly<Record<string, ToolFields>>): ToolTable {
  return new Map(Object.entries(tools).map(([name, fields]) => [name, toReader(fields)]));
}

function toReader({ kind, command, folder, paths, urls, details, incomplete }: ToolFields): ToolReader {
  const meanings = new Map<string, FieldMeaning>();
  const add = (names: string | undefined, meaning: FieldMeaning): void => {
    for (const name of names?.split(" ") ?? []) meanings.set(name, meaning);
  };
  add(command, "command");
  add(folder, "folder");
  add(paths, "path");
  add(urls, "url");
  add(details, "detail");
  return { kind, meanings, incomplete: incomplete === true };
}

/**
 * Describes a call by the table of the agent's tools. Total and pure. A tool that the table lacks is `other`. A field that
 * the table lacks makes the action incomplete, because a later version of the agent may have added what it does.
 * `otherPaths`: paths that the agent reports beside the input.
 */
export function describeCall(
  tools: ToolTable,
  name: string,
  input: unknown,
  otherPaths: readonly string[] = [],
): ToolAction {
  const tool = tools.get(name);
  if (tool === undefined) return { kind: "other", incomplete: true };
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const values: Record<FieldMeaning, unknown[]> = {
    command: [],
    folder: [],
    path: [...otherPaths],
    url: [],
    detail: [],
  };
  let incomplete = tool.incomplete || !isObject;
  for (const [field, value] of Object.entries(isObject ? input : {})) {
    // Agents write null for an optional field that is not set.
    if (value === null || value === undefined) continue;
    const meaning = tool.meanings.get(field);
    if (meaning === undefined) incomplete = true;
    else if ((meaning === "path" || meaning === "url") && Array.isArray(value)) {
      values[meaning].push(...value.slice(0, maxListLength));
      incomplete ||= value.length > maxListLength;
    } else values[meaning].push(value);
  }
  const { command, folder, path: paths, url: urls } = values;
  // Two fields with one meaning contradict each other.
  incomplete ||= command.length > 1 || folder.length > 1;
  return createToolAction(tool.kind, { command: command[0], folder: folder[0], paths, urls, incomplete });
}
