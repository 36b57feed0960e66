/** Rows in columns, each as wide as its widest cell. The last column is left as it is. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => Array.from(row[at] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - Array.from(cell).length),
      )
      .join("  ")
      .trimEnd(),
  );
}
