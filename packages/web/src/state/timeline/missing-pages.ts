import { type EventWindow, isAtHead } from "./event-window.ts";
import { heldRange, pageOf } from "./timeline.ts";

/** A request for the events after a number. */
export interface PageRequest {
  readonly after: number;
  readonly limit: number;
}

/** How many rows of the list are above and below the screen. */
export interface RowMargins {
  readonly above: number;
  readonly below: number;
}

/** With fewer rows than this above or below the screen, the next page is asked for. A fast wheel moves about 10 rows a frame. */
const enoughRows = 60;

/** The requests that the screen needs next: at most one page before and one after those that are held. */
export function missingPages(window: EventWindow, { above, below }: RowMargins): readonly PageRequest[] {
  const held = heldRange(window.timeline);
  if (held === null) return window.head === 0 ? [] : [requestPageOf(window, window.head)];
  const { pageSize } = window.timeline;
  const requests: PageRequest[] = [];
  if (above < enoughRows && held.first > 1) requests.push(requestPageOf(window, held.first - 1));
  if (below < enoughRows && !isAtHead(window)) {
    const end = (pageOf(held.last + 1, pageSize) + 1) * pageSize;
    requests.push({ after: held.last, limit: end - held.last });
  }
  return requests;
}

/** The request of the page that has the event with this number. */
export function requestPageOf({ timeline: { pageSize } }: EventWindow, sequence: number): PageRequest {
  return { after: pageOf(Math.max(1, sequence), pageSize) * pageSize, limit: pageSize };
}
