import type { Event } from "@fairlead/contract";
import type { EventLog } from "@fairlead/journal";
import { decodeEvents } from "../actor/stored-events.ts";

/**
 * Events that may follow a pause: the fingerprint of a transcript, messages that wait for the next host, and files that were
 * compared after it.
 */
const laterTypes: ReadonlySet<Event["body"]["type"]> = new Set(["session.changed", "message.queued", "file.changed"]);
const firstWindow = 16;

/**
 * Reads the newest event that says whether a session works, is paused or has ended. Undefined if it has none. `last` is the
 * sequence number of its newest event.
 */
export async function readNewestChange(
  log: Pick<EventLog, "read">,
  session: string,
  last: number,
): Promise<Event | undefined> {
  for (let window = firstWindow; ; window *= 8) {
    const events = await Array.fromAsync(decodeEvents(log.read(session, Math.max(0, last - window))));
    const newest = events.findLast(({ body }) => !laterTypes.has(body.type));
    if (newest !== undefined || window >= last) return newest;
  }
}
