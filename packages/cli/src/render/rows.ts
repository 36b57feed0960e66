/** What takes two cells in a terminal. What is counted too wide is broken too early, and that does no harm. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe6f\uff00-\uffe6\u{1b000}-\u{1b2ff}\u{1f000}-\u{3ffff}]|\p{Extended_Pictographic}/u;

/** How many cells of a terminal a character takes, at most. */
export function cellsOf(character: string): number {
  if (character === "\t") return 8;
  return wide.test(character) ? 2 : 1;
}

/**
 * A text in rows that a terminal has no need to break: where it breaks a line, the rest stands at the left margin, and
 * what an agent says could look like something that we say.
 */
export function rows(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const broken: string[] = [];
    let [row, cells] = ["", 0];
    for (const character of line) {
      const more = cellsOf(character);
      if (cells + more > Math.max(2, width)) {
        broken.push(row);
        [row, cells] = ["", 0];
      }
      row += character;
      cells += more;
    }
    return [...broken, row];
  });
}

/** The same with something before each row. What stands before all but the first is as wide. */
export function headedRows(text: string, first: string, others: string, width: number): string[] {
  return rows(text, width - first.length).map((row, at) => `${at === 0 ? first : others}${row}`);
}
