// oxlint-disable no-control-regex -- control characters are what this file is about

/** Whole escape sequences. A string (OSC, DCS…) that is never closed goes to the end of its line and no further. */
const sequences = new RegExp(
  [
    /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?/,
    /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?/,
    /\x1b[\x20-\x2f]*[\x30-\x7e]?/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Controls but newline and tab, what turns the direction of text, and what takes no room but can hide a difference. */
const unseen =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Text that can do nothing to a terminal but be read. Everything that an agent, a file name or an input holds goes
 * through here before it is shown.
 */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(sequences, "")
    .replace(unseen, "");
}

/**
 * The same safety without leaving anything out: what cannot be seen is spelt. For what a person is asked to allow,
 * since a command hidden in an escape sequence is removed from the screen but not from what will run.
 */
export function revealed(text: string): string {
  return text.toWellFormed().replace(unseen, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** A value as one line of JSON that is as harmless in a terminal as it is exact for a program. */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value) ?? "null";
  return json.replace(unseen, (one) =>
    one
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
