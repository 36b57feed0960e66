import { Event } from "@fairlead/contract";
import type { EventLog, Frame } from "@fairlead/journal";

const decoder = new TextDecoder();

/** Events as the journal keeps them: views of one buffer, since a small one for each would cost more than its content. */
export function toBytes(events: readonly Event[]): Uint8Array[] {
  const texts = events.map((event) => JSON.stringify(event));
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const whole = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, 0));
  let end = 0;
  return texts.map((text, at) => {
    const start = end;
    end += sizes[at] ?? 0;
    whole.write(text, start);
    return whole.subarray(start, end);
  });
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
