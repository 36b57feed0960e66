import type { Step } from "./step.ts";

const marker = "SCRIPT:";

/** The text of a prompt that carries a script. The agent sees a sentence; the lab reads what follows it. */
export function script(steps: readonly Step[], sentence = "Please do this."): string {
  return `${sentence} ${marker}${JSON.stringify(steps)}`;
}

/** The last script in a text. One that stands inside a string of another (a prompt for a sub-agent, say) is part of that one. */
export function findScript(text: string): Step[] | undefined {
  let found: Step[] | undefined;
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

function parseSteps(text: string): Step[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every(isStep) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isStep(value: unknown): value is Step {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
