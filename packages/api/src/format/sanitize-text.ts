// oxlint-disable no-control-regex -- control characters are what this file is about
import { invisibleCharacters } from "@fairlead/contract";

/** Escape sequences. An unterminated string (OSC, DCS…) reaches to the end of its line and no further. */
const escapeSequences = new RegExp(
  [
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?/,
    /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?/,
    /\x1b[\x20-\x2f]*[\x30-\x7e]?/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * Removes everything from a text that controls a terminal. All text from agents, file names and inputs passes through here
 * before it is shown.
 */
export function sanitizeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(escapeSequences, "")
    .replace(invisibleCharacters, "");
}

/** Removes what `sanitizeText` removes, and joins lines, so that the text takes one line. */
export function toOneLine(text: string): string {
  return sanitizeText(text).replace(/\s+/g, " ").trim();
}
