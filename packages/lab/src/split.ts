/** Cuts a text into at most `count` pieces of like length, never inside a character. */
export function split(text: string, count: number): string[] {
  const characters = Array.from(text);
  const length = Math.max(1, Math.ceil(characters.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += length) {
    pieces.push(characters.slice(at, at + length).join(""));
  }
  return pieces;
}
