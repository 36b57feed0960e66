import type { EventPage, Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/**
 * Reads one page of events, limited by count and by bytes. `next` is the sequence to continue after, if there are more.
 */
export async function readEventPage(
  fairlead: Fairlead,
  session: string,
  options: { readonly after: number; readonly limit: number; readonly bytes: number },
): Promise<EventPage> {
  const events: Event[] = [];
  let bytes = 0;
  for await (const event of fairlead.events(session, { after: options.after })) {
    if (!("sequence" in event)) continue;
    bytes += JSON.stringify(event).length;
    const isFull = events.length === options.limit || (events.length > 0 && bytes > options.bytes);
    if (isFull) return { events, next: events.at(-1)?.sequence ?? null };
    events.push(event);
  }
  return { events, next: null };
}
