/** The most characters of a line. */
const maxLength = 120;

/** Cuts a text to a short line. Reads only its beginning, however long it is. */
export function toShortLine(text: string): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const isCut = line.length > maxLength || text.length > 4 * maxLength;
  return isCut ? `${dropHalfCharacter(line.slice(0, maxLength - 1))}…` : line;
}

/** A cut may leave one half of a character, which JSON readers reject or replace. */
function dropHalfCharacter(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "");
}
