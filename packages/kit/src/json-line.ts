import { jsonDepth } from "@fairlead/contract";

/** Deeper than any agent needs, and shallow enough that `JSON.stringify` of the value cannot overflow the stack. */
const maxDepth = 256;

/**
 * Matches a key that could change the prototype of an object it is copied to, plain or escaped. Only matching lines are
 * parsed with a reviver, because a reviver on every line is slow.
 */
const prototypeKeyPattern = /__proto__|\\u00/;

/** Two characters that JSON may contain, and at which `node:readline` ends a line. An agent that uses it would get two halves. */
const lineSeparators = /[\u2028\u2029]/g;

/** Serializes a value as one line of JSON. */
export function jsonLine(value: object): string {
  const text = JSON.stringify(value).replace(lineSeparators, (one) => (one === "\u2028" ? "\\u2028" : "\\u2029"));
  return `${text}\n`;
}

/** Parses a line of JSON. Returns undefined if it is not JSON or nested too deeply. Drops keys named `__proto__`. */
export function parseJsonLine(text: string): unknown {
  if (jsonDepth(text) > maxDepth) return undefined;
  try {
    return prototypeKeyPattern.test(text) ? JSON.parse(text, dropPrototypeKey) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dropPrototypeKey(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}
