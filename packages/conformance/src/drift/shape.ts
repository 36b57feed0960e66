import type { SpoolRecord } from "@fairlead/contract";
import { parseJsonLine } from "@fairlead/kit";

/** What an agent's lines are made of: for each kind of message, the types that were seen at each place in it. */
export type Shape = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The members by which agents say what kind of message a line is, outermost first. */
const naming = ["method", "type", "subtype", "sessionUpdate", "kind", "role"];
/** Below these, anything may stand, in the words of models and tools: their members are no part of the protocol. */
const free =
  /^(input|arguments|args|rawInput|rawOutput|parameters|tool_use_result|modelUsage|model_usage_since_last_result|models)$/;
const deepest = 8;

/** The shape of what was said on standard output in some recordings. */
export function shapeOf(recordings: readonly (readonly SpoolRecord[])[]): Shape {
  const shape = new Map<string, Map<string, Set<string>>>();
  for (const records of recordings) {
    const said = Buffer.concat(records.filter(({ kind }) => kind === "out").map(({ bytes }) => bytes)).toString("utf8");
    for (const line of said.split("\n")) {
      const message = parseJsonLine(line);
      if (!isRecord(message)) continue;
      const places = shape.get(kindOf(message)) ?? new Map<string, Set<string>>();
      shape.set(kindOf(message), places);
      describe(message, "", places, 0);
    }
  }
  const plain = (places: Map<string, Set<string>>): Record<string, string[]> =>
    Object.fromEntries([...places].map(([place, types]) => [place, [...types].toSorted()]));
  return Object.fromEntries([...shape].map(([kind, places]) => [kind, plain(places)]));
}

/** `stream_event message_start`: the names that a message gives itself, down to the first list. */
function kindOf(message: Record<string, unknown>): string {
  const names: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (!isRecord(value) || depth > 3) return;
    for (const name of naming) if (typeof value[name] === "string") names.push(value[name]);
    for (const [key, inner] of Object.entries(value)) if (!free.test(key)) visit(inner, depth + 1);
  };
  visit(message, 0);
  if (names.length > 0) return names.slice(0, 3).join(" ");
  return "result" in message ? "an answer" : "error" in message ? "a failure" : "without a name";
}

function describe(value: unknown, place: string, places: Map<string, Set<string>>, depth: number): void {
  if (place !== "") places.set(place, (places.get(place) ?? new Set<string>()).add(typeOf(value)));
  if (depth > deepest) return;
  if (Array.isArray(value)) for (const one of value) describe(one, `${place}[]`, places, depth + 1);
  else if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const below = place === "" ? key : `${place}.${key}`;
      if (free.test(key)) places.set(below, (places.get(below) ?? new Set<string>()).add(typeOf(inner)));
      else describe(inner, below, places, depth + 1);
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
