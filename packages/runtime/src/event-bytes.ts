import { Event } from "@fairlead/contract";
import type { EventLog, Frame } from "@fairlead/journal";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toBytes(event: Event): Uint8Array {
  return encoder.encode(JSON.stringify(event));
}

/** The events of some frames, one after the other. */
export async function* eventsOf(frames: AsyncIterable<Frame>): AsyncGenerator<Event> {
  for await (const frame of frames) {
    for (const bytes of frame.events) yield JSON.parse(decoder.decode(bytes)) as Event;
  }
}

/** The newest event of a session. */
export async function newestEvent(log: EventLog, session: string): Promise<Event | undefined> {
  const { last } = await log.tail(session);
  for await (const event of eventsOf(log.read(session, Math.max(0, last - 1)))) return event;
  return undefined;
}
