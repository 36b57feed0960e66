import type { EventBatch } from "@fairlead/journal";
import { FrameAssembler } from "./frame-assembler.ts";
import { LiveMessages } from "./live-messages.ts";
import { readSession } from "./read-session.ts";
import { readSessionEnd } from "./session-end.ts";
import { createUnavailableError } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

/**
 * Yields the batches of a session from an assembler's position, then those that are appended. The servers publish each
 * frame on a live subject, where messages can be lost. A live message is used only if it follows the last one; otherwise
 * the log is read. If the session is forgotten and claimed again, the events of the new history follow. Returns when the
 * signal aborts.
 */
export async function* watchSession(
  store: StreamStore,
  session: string,
  assembler: FrameAssembler,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void> {
  // Subscribe before the first read: a frame that is appended in between is then delivered.
  using live = new LiveMessages(store, session, signal);
  while (!signal.aborted) {
    const end = await readSessionEnd(store, session, signal);
    if (end.isForgotten) assembler.startAt(end.head + 1);
    else if (end.head > assembler.sequence) {
      const first = await store.readNext(session, 1, signal);
      if (first !== undefined) assembler.startAt(first.sequence);
    }
    for await (const batch of readSession(store, session, assembler, end.head, { signal })) {
      if (signal.aborted) return;
      yield batch;
      if (signal.aborted) return;
    }
    while (!signal.aborted) {
      const message = await live.next();
      if (store.closed.aborted) throw createUnavailableError("watch a session");
      if (signal.aborted) return;
      if (message === "check") break;
      if (message.sequence <= assembler.sequence) continue;
      if (message.previous !== assembler.sequence) break;
      const batch = assembler.push(message);
      if (batch !== undefined) yield batch;
    }
  }
}
