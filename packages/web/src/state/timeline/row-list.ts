import { type EventWindow, isAtHead } from "./event-window.ts";
import type { TimelineRow } from "./timeline-row.ts";

/** The rows of a window in order, without a copy of them: a delta costs the same however many rows there are. */
export interface RowList {
  readonly count: number;
  readonly parts: readonly (readonly TimelineRow[])[];
  /** The index of the first row of each part. */
  readonly starts: readonly number[];
}

export function listRows(window: EventWindow): RowList {
  const pages = window.timeline.pages.map(({ rows }) => rows);
  const live = isAtHead(window) ? window.live.texts.flatMap(({ row }) => (row.text === "" ? [] : [row])) : [];
  const parts = live.length === 0 ? pages : [...pages, live];
  const starts: number[] = [];
  let count = 0;
  for (const rows of parts) {
    starts.push(count);
    count += rows.length;
  }
  return { count, parts, starts };
}

export function rowAt({ parts, starts }: RowList, index: number): TimelineRow | undefined {
  // There are at most some twenty parts, and most reads are near the end.
  const part = starts.findLastIndex((start) => start <= index);
  return parts[part]?.[index - (starts[part] ?? 0)];
}

/** The index of the row that has the event with this number, or of the last row before it. -1 if there is none. */
export function indexOfNumber(list: RowList, sequence: number): number {
  let low = 0;
  let high = list.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rowAt(list, middle)?.first ?? Infinity) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
