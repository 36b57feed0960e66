/** Wraps a paragraph at 120 columns, as the other pages are wrapped. */
export function wrapParagraph(text: string): string[] {
  return text.split(" ").reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    return last === undefined || last.length + word.length >= 120
      ? [...lines, word]
      : [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}
