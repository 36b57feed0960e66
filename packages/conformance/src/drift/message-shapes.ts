import type { SpoolRecord } from "@fairlead/contract";
import { parseJsonLine } from "@fairlead/kit";

/** The shape of an agent's output: for each kind of message, the JSON types observed at each path. */
export type MessageShapes = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The members that name the kind of a message, outermost first. */
const kindKeys = ["method", "type", "subtype", "sessionUpdate", "kind", "role"];
/** The content of these members comes from models and tools, so their inner members are not part of the protocol. */
const freeFormKeys =
  /^(input|arguments|args|rawInput|rawOutput|parameters|tool_use_result|modelUsage|model_usage_since_last_result|models)$/;
const maxDepth = 8;

/** Infers the shapes of all messages on standard output in some recordings. */
export function inferMessageShapes(recordings: readonly (readonly SpoolRecord[])[]): MessageShapes {
  const typesByKind = new Map<string, Map<string, Set<string>>>();
  for (const records of recordings) {
    const output = Buffer.concat(records.filter(({ kind }) => kind === "out").map(({ bytes }) => bytes)).toString(
      "utf8",
    );
    for (const line of output.split("\n")) {
      const message = parseJsonLine(line);
      if (!isRecord(message)) continue;
      const typesByPath = typesByKind.get(kindOf(message)) ?? new Map<string, Set<string>>();
      typesByKind.set(kindOf(message), typesByPath);
      collectTypes(message, "", typesByPath, 0);
    }
  }
  const toPlainObject = (typesByPath: Map<string, Set<string>>): Record<string, string[]> =>
    Object.fromEntries([...typesByPath].map(([path, types]) => [path, [...types].toSorted()]));
  return Object.fromEntries([...typesByKind].map(([kind, typesByPath]) => [kind, toPlainObject(typesByPath)]));
}

/** Joins the kind names of a message, down to the first list: `stream_event message_start`. */
function kindOf(message: Record<string, unknown>): string {
  const names: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (!isRecord(value) || depth > 3) return;
    for (const name of kindKeys) if (typeof value[name] === "string") names.push(value[name]);
    for (const [key, inner] of Object.entries(value)) if (!freeFormKeys.test(key)) visit(inner, depth + 1);
  };
  visit(message, 0);
  if (names.length > 0) return names.slice(0, 3).join(" ");
  return "result" in message ? "response" : "error" in message ? "error response" : "unnamed";
}

function collectTypes(value: unknown, path: string, typesByPath: Map<string, Set<string>>, depth: number): void {
  if (path !== "") typesByPath.set(path, (typesByPath.get(path) ?? new Set<string>()).add(typeOf(value)));
  if (depth > maxDepth) return;
  if (Array.isArray(value)) for (const element of value) collectTypes(element, `${path}[]`, typesByPath, depth + 1);
  else if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const childPath = path === "" ? key : `${path}.${key}`;
      if (freeFormKeys.test(key))
        typesByPath.set(childPath, (typesByPath.get(childPath) ?? new Set<string>()).add(typeOf(inner)));
      else collectTypes(inner, childPath, typesByPath, depth + 1);
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
