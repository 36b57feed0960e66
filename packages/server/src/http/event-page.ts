import type { EventPage, Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** As many events as were asked for, or as fit into a page; and where to go on, if there are more. */
export async function eventPage(
  fairlead: Fairlead,
  session: string,
  wanted: { readonly after: number; readonly limit: number; readonly bytes: number },
): Promise<EventPage> {
  const events: Event[] = [];
  let bytes = 0;
  for await (const one of fairlead.events(session, { after: wanted.after })) {
    if (!("sequence" in one)) continue;
    bytes += JSON.stringify(one).length;
    const isFull = events.length === wanted.limit || (events.length > 0 && bytes > wanted.bytes);
    if (isFull) return { events, next: events.at(-1)?.sequence ?? null };
    events.push(one);
  }
  return { events, next: null };
}
