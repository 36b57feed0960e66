const marker = "SCRIPT:";

/** A message that carries what is to be answered, so that whoever plays it needs no memory of its own. */
export function withScript(words: string, steps: readonly object[]): string {
  return `${words} ${marker}${JSON.stringify(steps)}`;
}

/** The last script in a message, if it carries one. What it holds is for the player to check. */
export function findScript(message: string): unknown[] | undefined {
  const at = message.lastIndexOf(`${marker}[`);
  if (at === -1) return undefined;
  const text = bracketed(message.slice(at + marker.length));
  try {
    const steps: unknown = text === undefined ? undefined : JSON.parse(text);
    return Array.isArray(steps) ? steps : undefined;
  } catch {
    return undefined;
  }
}

/** From the first bracket to the one that closes it, minding brackets inside strings. */
function bracketed(text: string): string | undefined {
  let depth = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (match[0] === "[" || match[0] === "{") depth += 1;
    else if (match[0] === "]" || match[0] === "}") depth -= 1;
    else continue;
    if (depth === 0) return text.slice(0, match.index + 1);
  }
  return undefined;
}
