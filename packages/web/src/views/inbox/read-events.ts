import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** A line of a text is shown. */
const clip = 2_000;

/** Reads the events after a sequence to the end of the session, with long texts cut. */
export async function readEvents(fairlead: Pick<Fairlead, "events">, session: string, after: number): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of fairlead.events(session, { after, clip })) if ("body" in event) events.push(event);
  return events;
}
