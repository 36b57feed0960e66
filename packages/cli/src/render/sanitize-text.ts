// oxlint-disable no-control-regex -- control characters are what this file is about

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

/** Control characters other than newline and tab, bidirectional controls, and zero-width characters, which can hide differences. */
const invisibleCharacters =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

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

/**
 * Escapes invisible characters instead of removing them. For what a person is asked to allow: a command that is hidden in
 * an escape sequence would be removed from the screen but would still run.
 */
export function escapeInvisible(text: string): string {
  return text.toWellFormed().replace(invisibleCharacters, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** Writes a value as one line of JSON without control characters. It parses to the same value. */
export function toSafeJsonLine(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  return json.replace(invisibleCharacters, (one) =>
    one
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
