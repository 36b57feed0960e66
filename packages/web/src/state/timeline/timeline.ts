import type { ReadEvent } from "@fairlead/contract";
import { TimelineDraft } from "./timeline-draft.ts";
import type { TimelineRow } from "./timeline-row.ts";

/**
 * The events with the numbers from `index * size + 1` to `(index + 1) * size`, and their rows. No group of rows reaches over
 * the border of a page, so that a page has the same rows whichever pages around it are held.
 */
export interface TimelinePage {
  readonly index: number;
  readonly events: readonly ReadEvent[];
  /** The rows before calls are grouped. */
  readonly items: readonly TimelineRow[];
  readonly rows: readonly TimelineRow[];
}

/** Where a row is that later events may continue. */
export interface RowPosition {
  readonly page: number;
  readonly item: number;
}

/** The rows of consecutive pages. */
export interface Timeline {
  /** How many events a full page has. */
  readonly pageSize: number;
  readonly pages: readonly TimelinePage[];
  /** The rows that later events may continue, by `continuedKey`. */
  readonly open: ReadonlyMap<string, RowPosition>;
  /** Keys of rows that were shown before their event existed: the text that the agent was writing. */
  readonly keys: ReadonlyMap<number, string>;
}

export function emptyTimeline(pageSize: number): Timeline {
  return { pageSize, pages: [], open: new Map(), keys: new Map() };
}

export function pageOf(sequence: number, pageSize: number): number {
  return Math.floor((sequence - 1) / pageSize);
}

/** The numbers of the first and last event that are held; null if none are. */
export function heldRange({ pages }: Timeline): { readonly first: number; readonly last: number } | null {
  const first = pages[0]?.events[0];
  const last = pages.at(-1)?.events.at(-1);
  return first === undefined || last === undefined ? null : { first: first.sequence, last: last.sequence };
}

/** Adds the events after the last one. The cost is that of the events and of one page, not of the timeline. */
export function appendEvents(timeline: Timeline, events: readonly ReadEvent[], keys = timeline.keys): Timeline {
  if (events.length === 0) return timeline;
  const draft = new TimelineDraft({ ...timeline, keys });
  for (const event of events) draft.add(event);
  return draft.finish();
}

/** Builds the rows of other pages, and returns the rows that `before` had of the same events. */
export function rebuildTimeline(before: Timeline, pages: readonly (readonly ReadEvent[])[]): Timeline {
  const first = pages[0]?.[0]?.sequence ?? Infinity;
  const last = pages.at(-1)?.at(-1)?.sequence ?? 0;
  // Keys of events that are not held would add up while a person reads a long session.
  const keys = new Map([...before.keys].filter(([sequence]) => sequence >= first && sequence <= last));
  const draft = new TimelineDraft({ ...emptyTimeline(before.pageSize), keys });
  for (const events of pages) for (const event of events) draft.add(event);
  return draft.finish(before);
}
