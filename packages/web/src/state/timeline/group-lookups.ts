import type { LookupsRow, TimelineRow, ToolRow } from "./timeline-row.ts";

/**
 * Replaces calls in a row that only read or search by one row. A call that failed stays a row of its own. Groups of
 * `before` are returned again if they have the same calls.
 */
export function groupLookups(items: readonly TimelineRow[], before: readonly TimelineRow[]): readonly TimelineRow[] {
  const known = new Map(before.flatMap((row) => (row.type === "lookups" ? [[row.key, row] as const] : [])));
  const rows: TimelineRow[] = [];
  let calls: ToolRow[] = [];
  const flush = (): void => {
    const [first, second] = calls;
    if (first !== undefined) rows.push(second === undefined ? first : toGroup(first, calls, known.get(first.key)));
    calls = [];
  };
  for (const item of items) {
    if (!isLookup(item)) {
      flush();
      rows.push(item);
      continue;
    }
    if (calls.length > 0 && calls[0]?.parent !== item.parent) flush();
    calls.push(item);
  }
  flush();
  return rows;
}

function isLookup(row: TimelineRow): row is ToolRow {
  if (row.type !== "tool" || (row.action?.kind !== "read" && row.action?.kind !== "search")) return false;
  return row.state === "requested" || row.state === "running" || row.state === "done";
}

function toGroup(first: ToolRow, calls: readonly ToolRow[], before: LookupsRow | undefined): LookupsRow {
  if (before?.calls.length === calls.length && before.calls.every((call, index) => call === calls[index]))
    return before;
  return {
    type: "lookups",
    key: first.key,
    first: first.first,
    last: Math.max(...calls.map(({ last }) => last)),
    size: calls.reduce((sum, { size }) => sum + size, 0),
    hidden: calls.reduce((sum, { hidden }) => sum + hidden, 0),
    at: first.at,
    ...(first.parent !== undefined && { parent: first.parent }),
    calls,
  };
}
