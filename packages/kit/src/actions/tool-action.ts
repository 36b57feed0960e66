import type { ToolAction, ToolActionKind } from "@fairlead/contract";
import { commandText } from "../shell/command-text.ts";
import { maxShellTextLength } from "../shell/parse-shell.ts";

/** What an adapter found in a call. The values are the agent's, so they can be of any type. */
export interface ToolFacts {
  /** A shell text, or a list of arguments. */
  readonly command?: unknown;
  readonly folder?: unknown;
  readonly paths?: readonly unknown[];
  readonly urls?: readonly unknown[];
  /** Whether the call does more than this. */
  readonly incomplete?: boolean;
}

/** No file system has longer paths. */
const maxPathLength = 4096;
/** The most paths, the most characters of all paths, and the most hosts that an action has. */
const maxPaths = 1000;
const maxPathsLength = 100_000;
const maxHosts = 100;

/**
 * Creates the action of a call. Total: a fact that is too long or of another type is left out, and the action is then
 * incomplete. It is also incomplete if a fact is missing for this kind of call, or belongs to another kind. Its size is
 * bounded, because the event also contains the whole input.
 */
export function createToolAction(kind: ToolActionKind, facts: ToolFacts): ToolAction {
  const command = readCommand(facts.command);
  const folder = readPath(facts.folder);
  const paths = readPaths(facts.paths ?? []);
  const hosts = readHosts(facts.urls ?? []);
  const isMissing =
    (kind === "run" && command === undefined) ||
    ((kind === "edit" || kind === "read") && paths.values.length === 0) ||
    (kind === "fetch" && hosts.values.length === 0);
  // A rule about one kind of call must not allow what belongs to another kind.
  const isForeign =
    (kind !== "run" && (isPresent(facts.command) || isPresent(facts.folder))) ||
    (kind !== "fetch" && (facts.urls ?? []).length > 0) ||
    ((kind === "run" || kind === "fetch") && (facts.paths ?? []).length > 0);
  const isUnread =
    (isPresent(facts.command) && command === undefined) || (isPresent(facts.folder) && folder === undefined);
  return {
    kind,
    ...(command !== undefined && { command }),
    ...(folder !== undefined && { folder }),
    ...(paths.values.length > 0 && { paths: paths.values }),
    ...(hosts.values.length > 0 && { hosts: hosts.values }),
    ...((facts.incomplete === true || isMissing || isForeign || isUnread || paths.isCut || hosts.isCut) && {
      incomplete: true,
    }),
  };
}

/** Agents write null for an optional field that is not set. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readCommand(value: unknown): string | undefined {
  const text = commandText(value);
  return text === null || text.length > maxShellTextLength ? undefined : text;
}

function readPath(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= maxPathLength ? value : undefined;
}

interface ReadValues {
  readonly values: string[];
  /** Whether a value was left out. */
  readonly isCut: boolean;
}

function readPaths(values: readonly unknown[]): ReadValues {
  const paths = new Set<string>();
  let length = 0;
  for (const value of values) {
    const path = readPath(value);
    if (path === undefined || paths.size >= maxPaths || length + path.length > maxPathsLength)
      return { values: [...paths], isCut: true };
    if (!paths.has(path)) length += path.length;
    paths.add(path);
  }
  return { values: [...paths], isCut: false };
}

function readHosts(values: readonly unknown[]): ReadValues {
  const hosts = new Set<string>();
  for (const value of values) {
    const url = typeof value === "string" && value.length <= maxPathLength ? URL.parse(value) : null;
    const isRemote = url !== null && /^https?:$/.test(url.protocol);
    if (!isRemote || hosts.size >= maxHosts) return { values: [...hosts], isCut: true };
    hosts.add(url.hostname);
  }
  return { values: [...hosts], isCut: false };
}
