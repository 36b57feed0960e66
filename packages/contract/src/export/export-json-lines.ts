import type { Delta } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { toSafeJsonLine } from "./escape-invisible.ts";

/** Writes the events of a session as JSON lines, one event per line, as `fairlead logs --json` does. Leaves deltas out. */
export async function* exportJsonLines(events: AsyncIterable<Event | Delta>): AsyncGenerator<string> {
  for await (const event of events) if ("body" in event) yield `${toSafeJsonLine(event)}\n`;
}
