/** The first so many characters of a line, with a sign where something is left out. */
export function cut(line: string, width: number): string {
  const characters = Array.from(line);
  return characters.length <= width ? line : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

export interface CutLines {
  readonly lines: readonly string[];
  /** How many lines are not among them. */
  readonly more: number;
}

/** The first lines of a text; blank ones at its end do not count. */
export function firstLines(text: string, most: number): CutLines {
  const all = text.replace(/\s+$/, "").split("\n");
  const lines = all.length > most ? all.slice(0, most) : all;
  return { lines, more: all.length - lines.length };
}

export function moreLines(count: number): string {
  return `… ${count} more ${count === 1 ? "line" : "lines"}`;
}
