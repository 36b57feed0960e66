/** The longest text in one event, in UTF-16 code units. A longer text of the agent ends in parts of at most this length. */
export const maxTextLength = 1_048_576;

/**
 * The largest event, in bytes of JSON. What an agent writes stays far below it. Only a message of a person and the request
 * of a decision come near it: neither is shortened.
 */
export const maxEventBytes = 16 * 1_048_576;

/** Shortens a text to `limit` UTF-16 code units and states how many were removed. Returns a shorter text unchanged. */
export function cutText(text: string, limit = maxTextLength): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, endBefore(text, limit));
  return `${kept}\n[${text.length - kept.length} more characters are not shown]`;
}

/** Splits a text into pieces of at most `limit` UTF-16 code units. Does not split a surrogate pair. */
export function splitIntoParts(text: string, limit = maxTextLength): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length || pieces.length === 0;) {
    const end = start + limit < text.length ? endBefore(text, start + limit) : text.length;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Returns the position, or the one before it if that would split a surrogate pair. */
export function endBefore(text: string, position: number): number {
  const isPair = isHighSurrogate(text.charCodeAt(position - 1)) && isLowSurrogate(text.charCodeAt(position));
  return isPair ? position - 1 : position;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
