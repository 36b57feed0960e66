import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** Reads the events after a sequence to the end of the session. */
export async function readEvents(fairlead: Pick<Fairlead, "events">, session: string, after: number): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of fairlead.events(session, { after })) if ("body" in event) events.push(event);
  return events;
}
