const marker = "SCRIPT:";

/** A message that carries what is to be answered, so that whoever plays it needs no memory of its own. */
export function withScript(words: string, steps: readonly object[]): string {
  return `${words} ${marker}${JSON.stringify(steps)}`;
}

/** The last script in a text. One that stands inside a string of another (a message for a sub-agent) is part of it. */
export function findScript(text: string): object[] | undefined {
  let found: object[] | undefined;
  let at = text.indexOf(marker);
  while (at >= 0) {
    const start = at + marker.length;
    const end = closingBracket(text, start);
    const steps = parseSteps(text.slice(start, end));
    found = steps ?? found;
    at = text.indexOf(marker, steps ? end : start);
  }
  return found;
}

/** Where the JSON that begins at `start` ends. Brackets inside strings do not count. */
function closingBracket(text: string, start: number): number {
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
