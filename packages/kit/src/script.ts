const marker = "SCRIPT:";

/** Appends a script of answers to a message, so that a scripted model needs no state of its own. */
export function withScript(message: string, steps: readonly object[]): string {
  return `${message} ${marker}${JSON.stringify(steps)}`;
}

/** Returns the last script in a text. A script in a string of another one (a sub-agent's message) is part of that. */
export function findScript(text: string): object[] | undefined {
  let found: object[] | undefined;
  let position = text.indexOf(marker);
  while (position >= 0) {
    const start = position + marker.length;
    const end = findJsonEnd(text, start);
    const steps = parseSteps(text.slice(start, end));
    found = steps ?? found;
    position = text.indexOf(marker, steps ? end : start);
  }
  return found;
}

/** Returns the end of the JSON value at `start`. Ignores brackets inside strings. */
function findJsonEnd(text: string, start: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === "[" || match[0] === "{") depth += 1;
    if (match[0] === "]" || match[0] === "}") depth -= 1;
    if (depth <= 0) return token.lastIndex;
  }
  return start;
}

function parseSteps(text: string): object[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every(isObject) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
