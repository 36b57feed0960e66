import { Event, FairleadError, storedEventVersion, upcast } from "@fairlead/contract";
import type { EventLog, EventBatch } from "@fairlead/journal";

const decoder = new TextDecoder();

/**
 * Encodes events for the journal, each with the version of its stored form. The results are views of one buffer: a small
 * buffer for each event would cost more than its content.
 */
export function encodeEvents(events: readonly Event[]): Uint8Array[] {
  const texts = events.map((event) => JSON.stringify({ v: storedEventVersion, ...event }));
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const buffer = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, 0));
  let end = 0;
  return texts.map((text, index) => {
    const start = end;
    end += sizes[index] ?? 0;
    buffer.write(text, start);
    return buffer.subarray(start, end);
  });
}

/**
 * Decodes a stored event of any version. An event whose body this version cannot read, for example one written by a newer
 * daemon, becomes `unrecognized`, so that the rest of the session stays readable.
 */
export function decodeEvent(bytes: Uint8Array): Event {
  const text = decoder.decode(bytes);
  const { v = 1, ...stored } = JSON.parse(text) as { readonly v?: number } & Readonly<Record<string, unknown>>;
  const event = upcast(stored, v);
  const parsed = Event.safeParse(event);
  // Parsing fills in the defaults of older versions, but orders keys by the schema. An event of today's version needs no
  // defaults, and keeps the order in which it was published.
  if (parsed.success) return v === storedEventVersion ? (event as Event) : parsed.data;
  const reason = `This version of Fairlead cannot read an event of stored version ${v}.`;
  const readable = Event.safeParse({ ...event, body: { type: "unrecognized", reason, raw: text } });
  if (readable.success) return readable.data;
  throw new FairleadError("corrupt", `A stored event cannot be read: ${text.slice(0, 200)}`);
}

/** Decodes the events of batches, in order. */
export async function* decodeEvents(batches: AsyncIterable<EventBatch>): AsyncGenerator<Event> {
  for await (const batch of batches) {
    for (const bytes of batch.events) yield decodeEvent(bytes);
  }
}

/** Reads the newest event of a session. */
export async function readNewestEvent(log: EventLog, session: string): Promise<Event | undefined> {
  const { last } = await log.tail(session);
  for await (const event of decodeEvents(log.read(session, Math.max(0, last - 1)))) return event;
  return undefined;
}
