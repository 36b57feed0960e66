/**
 * Ranges of control characters, blanks other than space and tab, characters of no width, and those that change the direction
 * of text. A person who reads the command does not see them, or sees another order than the shell executes.
 */
const hiddenRanges: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xffff],
  [0xe0000, 0xe0fff],
];
const visibleText = /^[\t\n\u0020-\u007e]*$/;

/** Returns the first character that a person does not see, as `U+202E`, or null. */
export function findHiddenCharacter(text: string): string | null {
  if (visibleText.test(text)) return null;
  for (const character of text.replaceAll("\r\n", "\n")) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x0d || hiddenRanges.some(([first, last]) => code >= first && code <= last)) {
      return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    }
  }
  return null;
}
