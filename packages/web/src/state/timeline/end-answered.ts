import { indexOfNumber, rowAt, type RowList } from "./row-list.ts";

/**
 * Whether a person has answered one of the requests at the end of the list since. A person who read a long request may have
 * moved up to its beginning, and after the answer wants to see what follows.
 */
export function isEndAnswered(before: RowList, after: RowList): boolean {
  for (let index = before.count - 1; index >= 0; index -= 1) {
    const row = rowAt(before, index);
    if (row?.type !== "decision") return false;
    if (row.resolution !== null) continue;
    const now = rowAt(after, indexOfNumber(after, row.first));
    if (now?.type === "decision" && now.key === row.key && now.resolution?.by.kind === "person") return true;
  }
  return false;
}
