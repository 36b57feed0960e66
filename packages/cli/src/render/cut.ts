import { rows } from "./rows.ts";

/** As much of a line as fits into so many cells, with a sign where something is left out. */
export function cut(line: string, width: number): string {
  const [first = "", ...others] = rows(line, width);
  return others.length === 0 ? first : `${rows(line, width - 1)[0]}…`;
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
