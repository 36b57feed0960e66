// oxlint-disable no-control-regex -- control characters are what this file is about

/** Control characters other than newline and tab, bidirectional controls, and zero-width characters, which can hide differences. */
export const invisibleCharacters =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

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
