/**
 * Returns how deeply arrays and objects are nested in JSON text, without parsing it. A caller that rejects deep text
 * before `JSON.parse` avoids a stack overflow when it serializes the value again. The scan reads each character once,
 * so its cost is linear also for text that is not JSON.
 */
export function jsonDepth(text: string): number {
  let depth = 0;
  let maximum = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === backslash) index += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === openBrace || code === openBracket) maximum = Math.max(maximum, (depth += 1));
    else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return maximum;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
