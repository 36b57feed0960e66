/** Deeper than any agent needs, and shallow enough that writing it out again cannot overflow the stack. */
const deepest = 256;

/** A key that could change the prototype of whoever copies it, spelled out or escaped. A reviver on every line is slow. */
const suspicious = /__proto__|\\u00/;

/** A value as one line. */
export function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** A line as JSON, or undefined if it is none, or one that could hurt. */
export function parseJsonLine(text: string): unknown {
  if (depthOf(text) > deepest) return undefined;
  try {
    return suspicious.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutPrototype(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) most = Math.max(most, (depth += 1));
    else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return most;
}
