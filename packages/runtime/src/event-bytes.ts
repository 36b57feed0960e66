import { Event, FairleadError, storedEventVersion, upcast } from "@fairlead/contract";
import type { EventLog, Frame } from "@fairlead/journal";

const decoder = new TextDecoder();

/**
 * Encodes events for the journal, each with the version of its stored form. The results are views of one buffer: a small
 * buffer for each event would cost more than its content.
 */
export function toBytes(events: readonly Event[]): Uint8Array[] {
  const texts = events.map((event) => JSON.stringify({ v: storedEventVersion, ...event }));
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

/**
 * Decodes a stored event of any version. An event whose body this version cannot read, for example one written by a newer
 * daemon, becomes `unrecognized`, so that the rest of the session stays readable.
 */
export function fromBytes(bytes: Uint8Array): Event {
  const text = decoder.decode(bytes);
  const { v = 1, ...stored } = JSON.parse(text) as { readonly v?: number } & Readonly<Record<string, unknown>>;
  const event = upcast(stored, v);
  const parsed = Event.safeParse(event);
  if (parsed.success) return parsed.data;
  const reason = `This version cannot read an event of stored version ${v}.`;
  const readable = Event.safeParse({ ...event, body: { type: "unrecognized", reason, raw: text } });
  if (readable.success) return readable.data;
  throw new FairleadError("corrupt", `A stored event cannot be read: ${text.slice(0, 200)}`);
}

/** The events of some frames, one after the other. */
export async function* eventsOf(frames: AsyncIterable<Frame>): AsyncGenerator<Event> {
  for await (const frame of frames) {
    for (const bytes of frame.events) yield fromBytes(bytes);
  }
}

/** The newest event of a session. */
export async function newestEvent(log: EventLog, session: string): Promise<Event | undefined> {
  const { last } = await log.tail(session);
  for await (const event of eventsOf(log.read(session, Math.max(0, last - 1)))) return event;
  return undefined;
}
