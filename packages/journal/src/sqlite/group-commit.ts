import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { LogTail } from "../event-log.ts";
import { createBusyError, toJournalError, isBusy, isFailedSync } from "./sqlite-errors.ts";
import { extractChecksum } from "./fence.ts";
import { toBatchRow, type BatchDraft } from "./batch-row.ts";
import { type BatchTable, unclaimedTail } from "./batch-table.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { schemaVersion } from "./schema.ts";

// The next append waits for the group before it, so the disk must be able to write a group within a few milliseconds.
const maxGroupBytes = 1 << 20;

/** The minimum time between commits while several sessions write. */
const commitIntervalMs = 4;

/** A request to append to a session or to forget it. */
export interface QueuedAppend {
  readonly session: string;
  /** The approximate size of the batch. */
  readonly bytes: number;
  /** Returns the batch to write after the tail. Throws when none may be written. */
  readonly compose: (tail: LogTail) => BatchDraft | "forget";
  /** Forgets the session without `compose` if its tail cannot be read. */
  readonly forgetIfDamaged?: boolean;
}

interface PendingAppend extends QueuedAppend {
  readonly resolve: (tail: LogTail) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes all batches of one event loop turn in one transaction, because each commit waits for the disk and many sessions
 * can share that wait. An append resolves only after the commit.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #table: BatchTable;
  readonly #onCommit: () => void;
  readonly #queue: PendingAppend[] = [];
  /** The tail that this process last wrote to each session. A sole owner need not read its own batch again. */
  readonly #tailCache = new Map<string, LogTail>();
  #draining: Promise<void> | undefined;
  /** The earliest time of the next commit, so that more appends can join it. */
  #nextCommitAt = 0;
  #inDoubt = false;

  constructor(database: DatabaseSync, table: BatchTable, onCommit: () => void) {
    this.#database = database;
    this.#table = table;
    this.#onCommit = onCommit;
  }

  /** Composes and writes a batch under one lock, so that no other writer can append between the tail and the batch. */
  write(append: QueuedAppend): Promise<LogTail> {
    const { promise, resolve, reject } = Promise.withResolvers<LogTail>();
    this.#queue.push({ ...append, resolve, reject });
    this.#draining ??= this.#drainQueue();
    return promise;
  }

  /** Resolves when the queue is empty. */
  async whenIdle(): Promise<void> {
    await this.#draining;
  }

  /**
   * Moves the pages of the write-ahead log into the database and empties the log. Otherwise the log would have the events
   * of a forgotten session until SQLite overwrites it. Waits for readers in other processes.
   */
  async truncateLog(): Promise<void> {
    await retryWhileBusy(() => {
      const result = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (result?.["busy"] !== 0) throw createBusyError("Another process reads the journal.");
    });
  }

  /**
   * Overwrites the pages of a commit whose sync failed. SQLite rolls such a commit back, but its pages may still be in the
   * write-ahead log, where recovery would find them after a crash. Until another write replaces them, the outcome of the
   * commit is unknown.
   */
  resolveInDoubt(): void {
    if (!this.#inDoubt) return;
    try {
      this.#database.exec(`PRAGMA user_version = ${schemaVersion}`);
    } catch (cause) {
      throw isBusy(cause)
        ? cause
        : new FairleadError(
            "unavailable",
            "The outcome of the last commit is unknown, because the disk failed to sync it.",
            { cause },
          );
    }
    this.#inDoubt = false;
  }

  #markInDoubt(): void {
    this.#inDoubt = true;
    try {
      this.resolveInDoubt();
    } catch {
      // The next read or commit tries again.
    }
  }

  async #drainQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#waitForMoreAppends();
      const group = this.#takeGroup();
      try {
        const notifications = await retryWhileBusy(() => this.#commit(group));
        for (const notify of notifications) notify();
        this.#onCommit();
      } catch (error) {
        for (const append of group) append.reject(toJournalError(error));
      }
    }
    this.#draining = undefined;
  }

  /**
   * Delays the commit while several sessions write. The duration of a commit hardly depends on its size. A sole writer
   * gains nothing by waiting. With hundreds of writers, commits of one or two batches each would use up the processor.
   */
  async #waitForMoreAppends(): Promise<void> {
    const remainingMs = this.#nextCommitAt - performance.now();
    await (remainingMs > 0 ? delay(remainingMs) : nextTurn());
    const isAlone = this.#queue.length === 1;
    this.#nextCommitAt = isAlone ? 0 : performance.now() + commitIntervalMs;
  }

  #takeGroup(): PendingAppend[] {
    let bytes = 0;
    const end = this.#queue.findIndex((append, index) => (bytes += append.bytes) > maxGroupBytes && index > 0);
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  /** Commits a group atomically. Returns the callbacks that settle its appends. */
  #commit(group: readonly PendingAppend[]): (() => void)[] {
    try {
      this.resolveInDoubt();
      this.#database.exec("BEGIN IMMEDIATE");
      const notifications = group.map((append) => this.#apply(append));
      this.#database.exec("COMMIT");
      return notifications;
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      if (isFailedSync(error)) this.#markInDoubt();
      throw error;
    }
  }

  #apply(append: PendingAppend): () => void {
    try {
      const tail = this.#writeAfterTail(append);
      return () => {
        this.#tailCache.set(append.session, tail);
        append.resolve(tail);
      };
    } catch (error) {
      // While the transaction is open, only this append has failed. The others in the group can still be committed.
      if (!this.#database.isTransaction) throw error;
      return () => append.reject(toJournalError(error));
    }
  }

  #writeAfterTail(append: PendingAppend): LogTail {
    try {
      const before = this.#currentTail(append.session);
      return this.#writeOrForget(append.session, append.compose(before), before);
    } catch (error) {
      if (!append.forgetIfDamaged || toJournalError(error).code !== "corrupt") throw error;
      return this.#writeOrForget(append.session, "forget", unclaimedTail);
    }
  }

  #writeOrForget(session: string, draft: BatchDraft | "forget", before: LogTail): LogTail {
    if (draft !== "forget") return this.#table.insert(toBatchRow(draft, extractChecksum(before.fence)));
    this.#table.forget(session);
    return this.#table.tail(session);
  }

  #currentTail(session: string): LogTail {
    const cached = this.#tailCache.get(session);
    return cached !== undefined && this.#table.isTail(session, cached) ? cached : this.#table.tail(session);
  }
}
