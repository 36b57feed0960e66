import type { ReadEvent } from "@fairlead/contract";
import { continuedKey } from "./continue-row.ts";
import type { EventWindow } from "./event-window.ts";
import { indexOfNumber, listRows, rowAt } from "./row-list.ts";
import { heldRange, pageOf, type Timeline } from "./timeline.ts";

/**
 * The index of the row that shows the event with this number, which may be a row that an earlier event began. An event
 * without a row has the last row before it. -1 if no such row is held.
 */
export function findRow(window: EventWindow, sequence: number): number {
  const rows = listRows(window);
  const index = indexOfNumber(rows, sequence);
  if (rowAt(rows, index)?.first === sequence) return index;
  const first = firstOfRow(window.timeline, sequence);
  return first === null ? index : indexOfNumber(rows, first);
}

/** Whether a person can be shown the event with this number: it is held, and a row for it. */
export function canShow(window: EventWindow, sequence: number): boolean {
  const held = heldRange(window.timeline);
  if (held === null || sequence < held.first || sequence > held.last) return false;
  return findRow(window, sequence) >= 0 || held.first === 1;
}

/** The number of the event that began the row which an event continues, if that row is held. */
function firstOfRow({ pages, pageSize, open }: Timeline, sequence: number): number | null {
  const event = eventAt(pages, pageSize, sequence);
  const key = event === undefined ? null : continuedKey(event.body);
  const position = key === null ? undefined : open.get(key);
  if (position === undefined) return null;
  const row = pages[position.page - (pages[0]?.index ?? 0)]?.items[position.item];
  // A key can be used again by a later row, which does not show this event.
  return row !== undefined && row.first <= sequence && sequence <= row.last ? row.first : null;
}

function eventAt(pages: Timeline["pages"], pageSize: number, sequence: number): ReadEvent | undefined {
  const page = pages[pageOf(sequence, pageSize) - (pages[0]?.index ?? 0)];
  return page?.events[sequence - (page.events[0]?.sequence ?? 0)];
}
