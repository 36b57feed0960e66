import type { ListRow } from "./session-list.ts";

/**
 * Decides which session remains selected when the filter changes: one that the list shows. While the filter is the same, the
 * selection stays, also if the session leaves the list: a person may be about to answer its request.
 */
export function keepSelected(
  selected: string | null,
  rows: readonly Pick<ListRow, "type" | "key">[],
  isFilterNew: boolean,
): string | null {
  const sessions = rows.filter(({ type }) => type === "session");
  const isKept = selected !== null && (!isFilterNew || sessions.some(({ key }) => key === selected));
  return isKept ? selected : (sessions[0]?.key ?? null);
}
