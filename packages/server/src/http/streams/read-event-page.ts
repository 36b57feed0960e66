import type { EventPage, Fairlead } from "@fairlead/api";
import type { ReadEvent } from "@fairlead/contract";

export interface EventPageOptions {
  readonly after: number;
  readonly limit: number;
  readonly clip?: number | undefined;
  readonly bytes: number;
}

/**
 * Reads one page of events, limited by count and by bytes. `next` is the sequence to continue after, if there are more.
 */
export async function readEventPage(
  fairlead: Fairlead,
  session: string,
  { after, limit, clip, bytes: maxBytes }: EventPageOptions,
): Promise<EventPage> {
  const events: ReadEvent[] = [];
  let bytes = 0;
  // One more than the page has tells whether there is another page.
  const readOptions = { after, limit: limit + 1, ...(clip !== undefined && { clip }) };
  for await (const event of fairlead.events(session, readOptions)) {
    if (!("sequence" in event)) continue;
    bytes += JSON.stringify(event).length;
    const isFull = events.length === limit || (events.length > 0 && bytes > maxBytes);
    if (isFull) return { events, next: events.at(-1)?.sequence ?? null };
    events.push(event);
  }
  return { events, next: null };
}
