import { FairleadError } from "@fairlead/contract";
import {
  lastSequenceOf,
  sliceBatch,
  type EventBatch,
  type Fence,
  type LogChanges,
  type LoggedSession,
  type LogPosition,
  type LogReadOptions,
  type LogTail,
} from "../event-log.ts";
import { assertFollowsTail } from "../assert-follows-tail.ts";
import type { Claim, Journal } from "../ownership.ts";
import { positionAfter, type ChainPosition } from "./chain.ts";
import type { ChangeNotifier } from "./change-notifier.ts";
import { toBatchDraft } from "./batch-row.ts";
import { type BatchTable, unclaimedTail } from "./batch-table.ts";
import type { GroupCommit } from "./group-commit.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { readPages } from "./read-pages.ts";
import type { Recovery } from "./recovery.ts";

export interface SqliteLogParts {
  /** Reads over a separate connection, so that it never sees an uncommitted transaction. */
  readonly table: BatchTable;
  readonly groupCommit: GroupCommit;
  readonly notifier: ChangeNotifier;
  readonly recovery: Recovery | undefined;
  /** Closes the connections. */
  readonly close: () => void;
}

/** A journal in one SQLite file. */
export class SqliteLog implements Journal {
  /** On one machine, a session's folder outlives its owner's process, so that notes in the log would repeat the spool. */
  readonly carriesNotes = false;
  readonly #parts: SqliteLogParts;

  constructor(parts: SqliteLogParts) {
    this.#parts = parts;
  }

  /** The assessment of what a crash left behind, made when the log was opened; undefined when there was no crash. */
  get recovery(): Recovery | undefined {
    return this.#parts.recovery;
  }

  async tail(session: string): Promise<LogTail> {
    return await retryWhileBusy(() => {
      this.#parts.groupCommit.resolveInDoubt();
      return this.#parts.table.tail(session);
    });
  }

  async append(batch: EventBatch, fence: Fence): Promise<Fence> {
    if ((batch.notes?.length ?? 0) > 0) {
      throw new FairleadError("invalid-request", "A log in SQLite carries no notes. Append the events without them.");
    }
    const draft = toBatchDraft(batch);
    const compose = (tail: LogTail) => {
      assertFollowsTail(tail, batch, fence);
      return draft;
    };
    const bytes = draft.data.byteLength;
    return (await this.#parts.groupCommit.write({ session: batch.session, bytes, compose })).fence;
  }

  async claim(session: string, owner: string): Promise<Claim> {
    // `compose` gets the tail under the write lock, so a claim cannot lose to an append and needs no retry.
    const compose = (tail: LogTail) =>
      toBatchDraft({ session, epoch: tail.epoch + 1, first: tail.last + 1, events: [], owner });
    const { epoch, fence, last } = await this.#parts.groupCommit.write({ session, bytes: 0, compose });
    return { epoch, fence, last };
  }

  async forget(session: string, fence: Fence | "damaged"): Promise<void> {
    const compose = (tail: LogTail): "forget" => {
      if (fence === tail.fence) return "forget";
      const reason = fence === "damaged" ? "its end can be read" : "another writer has appended since";
      throw new FairleadError("fenced", `Session ${session} was not forgotten: ${reason}.`);
    };
    await this.#parts.groupCommit.write({ session, bytes: 0, compose, forgetIfDamaged: fence === "damaged" });
    await this.#parts.groupCommit.truncateLog();
  }

  async *read(session: string, after: number, options: LogReadOptions = {}): AsyncGenerator<EventBatch, void> {
    const { limit = Infinity, signal } = options;
    const end = after + limit;
    let lastRead = after;
    if (lastRead >= end) return;
    signal?.throwIfAborted();
    for await (const { batches } of readPages(this.#parts.table, session, positionAfter(after))) {
      for (const batch of batches) {
        if (batch.events.length === 0) continue;
        const slice = sliceBatch(batch, lastRead, end - lastRead);
        lastRead = lastSequenceOf(slice);
        yield slice;
        signal?.throwIfAborted();
        if (lastRead >= end) return;
      }
    }
  }

  async *notes(): AsyncGenerator<Uint8Array, void> {}

  async *watch(session: string, after: number, signal: AbortSignal): AsyncGenerator<EventBatch, void> {
    if (signal.aborted) return;
    // Subscribe before the first read: an append in between then triggers another read, which starts at `position`.
    using subscription = await retryWhileBusy(() => this.#parts.notifier.subscribe(session));
    const onAbort = () => subscription.notify();
    signal.addEventListener("abort", onAbort);
    using _ = { [Symbol.dispose]: () => signal.removeEventListener("abort", onAbort) };
    let position: ChainPosition = positionAfter(after);
    while (!signal.aborted) {
      for await (const page of readPages(this.#parts.table, session, position)) {
        position = page.position;
        for (const batch of page.batches) {
          if (signal.aborted) return;
          if (batch.events.length > 0) yield sliceBatch(batch, after);
        }
        if (signal.aborted) return;
      }
      await subscription.waitForChange();
    }
  }

  async *sessions(): AsyncGenerator<LoggedSession, void> {
    for (const session of await retryWhileBusy(() => this.#parts.table.sessions())) {
      const logged = await this.#readTailOrDamage(session);
      // Another process may have forgotten the session since the list was read.
      if (logged.damage !== undefined || logged.tail.epoch > 0) yield logged;
    }
  }

  async changes(after: LogPosition | null): Promise<LogChanges> {
    return await retryWhileBusy(() => {
      const { groupCommit, table } = this.#parts;
      groupCommit.resolveInDoubt();
      // The position is read first: a batch that is committed in between is then listed again, and not missed.
      const newest = table.newestId();
      // After the position of an empty log, all sessions are new.
      const isKnown = after !== null && Number(after) > 0 && Number(after) <= newest;
      const sessions = isKnown ? table.sessionsAfter(Number(after)) : table.sessions();
      return { sessions, hasAll: !isKnown, position: String(newest) };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.groupCommit.whenIdle();
    this.#parts.close();
    this.#parts.notifier[Symbol.dispose]();
  }

  async #readTailOrDamage(session: string): Promise<LoggedSession> {
    try {
      return { session, tail: await this.tail(session) };
    } catch (error) {
      if (!FairleadError.is(error, "corrupt")) throw error;
      return { session, tail: unclaimedTail, damage: error };
    }
  }
}
