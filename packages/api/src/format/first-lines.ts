export interface TruncatedLines {
  readonly lines: readonly string[];
  /** The number of lines that are left out. */
  readonly more: number;
}

/** Returns the first lines of a text. Blank lines at its end do not count. */
export function takeFirstLines(text: string, limit: number): TruncatedLines {
  const all = text.trimEnd().split("\n");
  const lines = all.length > limit ? all.slice(0, limit) : all;
  return { lines, more: all.length - lines.length };
}
