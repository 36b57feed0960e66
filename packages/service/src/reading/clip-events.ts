import type { EventReadOptions } from "@fairlead/api";
import { clipEvent, type Delta, type Event, type ReadEvent } from "@fairlead/contract";

/** Yields what a source yields, with its events as short as the reader wants them. */
export async function* clipEvents(
  source: AsyncIterable<Event | Delta>,
  { clip }: Pick<EventReadOptions, "clip">,
): AsyncGenerator<ReadEvent | Delta> {
  for await (const one of source) yield clip !== undefined && "body" in one ? clipEvent(one, clip) : one;
}
