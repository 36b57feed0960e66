import { FairleadError } from "@fairlead/contract";
import {
  lastSequenceOf,
  sliceBatch,
  type Claim,
  type EventBatch,
  type Fence,
  type Journal,
  type LogChanges,
  type LoggedSession,
  type LogPosition,
  type LogReadOptions,
  type LogTail,
} from "@fairlead/journal";
import { findStartSequence } from "./find-start.ts";
import { FrameAssembler } from "./frame-assembler.ts";
import { listActivity, type NewestMessage } from "./list-sessions.ts";
import { formatPosition, parsePosition, type StreamPosition } from "./log-position.ts";
import { readSession } from "./read-session.ts";
import { readSessionEnd, unclaimedEnd, type SessionEnd } from "./session-end.ts";
import type { SessionWriter } from "./session-writer.ts";
import { createUnavailableError } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";
import { watchSession } from "./watch-session.ts";

export interface NatsLogParts {
  readonly store: StreamStore;
  readonly writer: SessionWriter;
  /** Ends reads and watches, and closes the connection if it belongs to the log. */
  readonly close: () => Promise<void>;
}

// How many tails a listing reads at the same time.
const tailsAtOnce = 16;

/** A journal in the streams of NATS servers. */
export class NatsLog implements Journal {
  readonly carriesNotes = true;
  readonly #store: StreamStore;
  readonly #writer: SessionWriter;
  readonly #close: () => Promise<void>;
  #isClosing = false;

  constructor({ store, writer, close }: NatsLogParts) {
    this.#store = store;
    this.#writer = writer;
    this.#close = close;
  }

  async tail(session: string): Promise<LogTail> {
    this.#assertOpen("read");
    return (await readSessionEnd(this.#store, session)).tail;
  }

  async append(batch: EventBatch, fence: Fence): Promise<Fence> {
    this.#assertOpen("append");
    return await this.#writer.append(batch, fence);
  }

  async claim(session: string, owner: string): Promise<Claim> {
    this.#assertOpen("claim a session");
    return await this.#writer.claim(session, owner);
  }

  async forget(session: string, fence: Fence | "damaged"): Promise<void> {
    this.#assertOpen("remove a session");
    await this.#writer.forget(session, fence);
  }

  async *read(session: string, after: number, options: LogReadOptions = {}): AsyncGenerator<EventBatch, void> {
    const { limit = Infinity, signal } = options;
    const lastWanted = Math.max(0, after) + limit;
    let lastRead = Math.max(0, after);
    if (lastRead >= lastWanted) return;
    signal?.throwIfAborted();
    const end = await readSessionEnd(this.#store, session, signal);
    if (lastRead >= end.tail.last) return;
    const assembler = await this.#assemblerAfter(session, lastRead, end, signal);
    const pages = { firstPage: Math.max(16, Math.min(limit, 256)), signal };
    for await (const batch of readSession(this.#store, session, assembler, end.head, pages)) {
      if (assembler.restarts > 0) return;
      if (batch.events.length === 0 || lastSequenceOf(batch) <= lastRead) continue;
      const slice = withoutNotes(sliceBatch(batch, lastRead, lastWanted - lastRead));
      lastRead = lastSequenceOf(slice);
      yield slice;
      signal?.throwIfAborted();
      if (lastRead >= lastWanted) return;
    }
  }

  async *notes(session: string, after = 0): AsyncGenerator<Uint8Array, void> {
    const end = await readSessionEnd(this.#store, session);
    if (end.isForgotten) return;
    // Frames with notes alone may follow the event, so that reading starts at the frame with the event.
    const start = Math.min(after, end.tail.last) - 1;
    const found = await this.#assemblerAfter(session, Math.max(0, start), end);
    const isWhole = start <= 0;
    const assembler = isWhole
      ? new FrameAssembler(session, { sequence: found.sequence + 1, needsEvents: false })
      : found;
    for await (const { notes = [] } of readSession(this.#store, session, assembler, end.head)) {
      if (assembler.restarts > 0) return;
      yield* notes;
    }
  }

  /**
   * Watches a session, also after it was forgotten. If it is claimed again while the watch runs, the watch yields all events
   * of the new history, from number 1, whatever `after` is.
   */
  async *watch(session: string, after: number, signal: AbortSignal): AsyncGenerator<EventBatch, void> {
    if (signal.aborted) return;
    this.#assertOpen("watch a session");
    try {
      const end = await readSessionEnd(this.#store, session, signal);
      const assembler = await this.#assemblerAfter(session, Math.max(0, after), end, signal);
      for await (const batch of watchSession(this.#store, session, assembler, signal)) {
        const from = assembler.restarts === 0 ? after : 0;
        if (batch.events.length === 0 || lastSequenceOf(batch) <= from) continue;
        yield withoutNotes(sliceBatch(batch, from));
      }
    } catch (error) {
      // Requests that wait throw the signal's reason. The end of a watch is no error.
      if (!signal.aborted) throw error;
    }
  }

  async *sessions(): AsyncGenerator<LoggedSession, void> {
    this.#assertOpen("list sessions");
    const { activities } = await this.#listChanges(undefined);
    for (let start = 0; start < activities.length; start += tailsAtOnce) {
      const group = activities.slice(start, start + tailsAtOnce);
      for (const logged of await Promise.all(group.map(({ session }) => this.#readTailOrDamage(session)))) {
        // Another process may have forgotten the session since the list was read.
        if (logged.damage !== undefined || logged.tail.epoch > 0) yield logged;
      }
    }
  }

  async changes(after: LogPosition | null): Promise<LogChanges> {
    this.#assertOpen("list sessions");
    const known = after === null ? undefined : parsePosition(after);
    const { activities, positions, hasAll } = await this.#listChanges(known);
    return { sessions: activities.map(({ session }) => session), hasAll, position: formatPosition(positions) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#writer.whenIdle();
    await this.#close();
  }

  #assertOpen(action: string): void {
    if (this.#isClosing || this.#store.closed.aborted) throw createUnavailableError(action);
  }

  /** Returns an assembler at a place from which a reader gets the events after a sequence. */
  async #assemblerAfter(
    session: string,
    after: number,
    end: SessionEnd,
    signal?: AbortSignal,
  ): Promise<FrameAssembler> {
    if (end.head === 0) return new FrameAssembler(session);
    if (end.isForgotten) return new FrameAssembler(session, { sequence: end.head + 1 });
    if (after > 0 && after >= end.tail.last && end.base.sequence > 0) {
      return new FrameAssembler(session, { sequence: end.base.sequence, after });
    }
    // A replica that lags behind may have messages of a history that was forgotten, so the leader names the first one.
    const first = (await this.#store.readNext(session, 1, signal))?.sequence ?? 1;
    if (after === 0) return new FrameAssembler(session, { sequence: first });
    const bounds = { start: first, head: end.head, last: end.tail.last };
    const start = await findStartSequence(this.#store, session, after, bounds, signal);
    return new FrameAssembler(session, start === first ? { sequence: first } : { sequence: start, after });
  }

  async #listChanges(known: readonly StreamPosition[] | undefined): Promise<{
    readonly activities: readonly NewestMessage[];
    readonly positions: readonly StreamPosition[];
    readonly hasAll: boolean;
  }> {
    const partitions = Array.from({ length: this.#store.layout.streamCount }, (_, partition) => partition);
    // The positions are read first: a frame that is stored in between is then listed again, and not missed.
    const positions = await Promise.all(
      partitions.map(async (partition): Promise<StreamPosition> => {
        const { created, lastSequence } = await this.#store.readState(partition);
        return { created, sequence: lastSequence };
      }),
    );
    const isReached =
      known?.length === positions.length &&
      known.some(({ sequence }) => sequence > 0) &&
      positions.every(({ created, sequence }, index) => {
        const before = known[index];
        return before?.created === created && before.sequence <= sequence;
      });
    const lists = await Promise.all(
      positions.map(({ sequence }, partition) =>
        listActivity(this.#store, partition, isReached ? (known[partition]?.sequence ?? 0) : 0, sequence),
      ),
    );
    const activities = lists.flat().toSorted((one, other) => other.time - one.time);
    return { activities, positions, hasAll: !isReached };
  }

  async #readTailOrDamage(session: string): Promise<LoggedSession> {
    try {
      return { session, tail: await this.tail(session) };
    } catch (error) {
      if (!FairleadError.is(error, "corrupt")) throw error;
      return { session, tail: unclaimedEnd.tail, damage: error };
    }
  }
}

/** Notes are for the next owner of a session, and have their own method. */
function withoutNotes({ session, epoch, first, events, owner }: EventBatch): EventBatch {
  return { session, epoch, first, events, owner };
}
