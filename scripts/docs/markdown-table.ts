/** Renders a Markdown table. A pipe in a cell is escaped, because it would end the cell even inside code. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Formats a text as inline code. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Formats texts as inline code, separated by commas. */
export function codeList(texts: readonly string[]): string {
  return texts.map(code).join(", ");
}

function escapeCell(text: string): string {
  return text.replaceAll("|", String.raw`\|`).replaceAll(/\s*\n\s*/g, " ");
}
