import type { ReadEvent } from "@fairlead/contract";
import { emptyWindow, type EventWindow, maxHeldEvents, withPlace } from "./event-window.ts";
import { canShow } from "./find-row.ts";
import { type PageRequest, requestPageOf } from "./missing-pages.ts";

/**
 * Reads the page of an event, and the pages before it until one has a row for it: a call, a decision or a text can begin on
 * an earlier page than its other events. An agent that writes thousands of events without a row ends the search.
 */
export async function readPlace(
  window: EventWindow,
  sequence: number,
  read: (request: PageRequest) => Promise<readonly ReadEvent[]>,
): Promise<readonly ReadEvent[]> {
  const { pageSize } = window.timeline;
  let events = await read(requestPageOf(window, sequence));
  for (;;) {
    const first = events[0]?.sequence ?? 1;
    const isShown = canShow(withPlace(emptyWindow(window.head, pageSize), events), Math.min(sequence, lastOf(events)));
    if (isShown || first === 1 || events.length > maxHeldEvents - pageSize) return events;
    const before = await read(requestPageOf(window, first - 1));
    if (before.length === 0) return events;
    events = [...before, ...events];
  }
}

function lastOf(events: readonly ReadEvent[]): number {
  return events.at(-1)?.sequence ?? 0;
}
