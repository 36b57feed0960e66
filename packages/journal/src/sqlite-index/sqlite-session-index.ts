import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { LogPosition } from "../event-log.ts";
import {
  matchesRowQuery,
  type NameHolder,
  type SessionIndex,
  type SessionPageOptions,
  type SessionRow,
  type SessionRowChange,
  type SessionRowCount,
  type SessionRowPage,
  type SessionRowQuery,
} from "../session-index.ts";
import { retryWhileBusy } from "../sqlite/retry-while-busy.ts";
import { createBusyError, isDamage } from "../sqlite/sqlite-errors.ts";
import { decodeCursor, encodeCursor } from "./page-cursor.ts";
import { RowTable, type IndexRevision } from "./row-table.ts";

const defaultLimit = 100;
const watchPageSize = 500;
/** How often a watch looks for changes by other processes. */
const pollIntervalMs = 250;

interface PendingWrite {
  readonly apply: (table: RowTable) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface SqliteSessionIndexOptions {
  readonly database: DatabaseSync;
  /** Removes a damaged file and returns a connection to a new one. */
  readonly recreate: () => DatabaseSync;
}

/** A session index in one SQLite file. A damaged file is replaced by an empty index, which has no position. */
export class SqliteSessionIndex implements SessionIndex {
  readonly #recreate: () => DatabaseSync;
  #database: DatabaseSync;
  #table: RowTable;
  readonly #queue: PendingWrite[] = [];
  readonly #watchers = new Set<() => void>();
  #draining: Promise<void> | undefined;
  #isClosed = false;
  #replacements = 0;

  constructor({ database, recreate }: SqliteSessionIndexOptions) {
    this.#database = database;
    this.#table = new RowTable(database);
    this.#recreate = recreate;
  }

  get replacements(): number {
    return this.#replacements;
  }

  async put(row: SessionRow): Promise<boolean> {
    return await this.#write((table) => table.put(row));
  }

  async get(session: string): Promise<SessionRow | undefined> {
    return await this.#read((table) => table.get(session));
  }

  async remove(session: string): Promise<void> {
    await this.#write((table) => table.remove(session));
    // Earlier versions of the row would stay readable in the write-ahead log until SQLite overwrites it.
    await this.#read(() => {
      const result = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (result?.["busy"] !== 0) throw createBusyError("Another process reads the session index.");
    });
  }

  async page(query: SessionRowQuery, options: SessionPageOptions = {}): Promise<SessionRowPage> {
    const { cursor, limit = defaultLimit, order = "activity" } = options;
    const after = cursor === undefined ? undefined : decodeCursor(order, cursor);
    // One more than the page, to know whether there is another one.
    const found = await this.#read((table) => table.select({ query, order, after, limit: limit + 1 }));
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, next: found.length > limit && last !== undefined ? encodeCursor(order, last) : null };
  }

  async count(query: SessionRowQuery): Promise<readonly SessionRowCount[]> {
    return await this.#read((table) => table.count(query));
  }

  async *watch(query: SessionRowQuery, signal: AbortSignal): AsyncGenerator<SessionRowChange, void> {
    if (signal.aborted) return;
    using changes = new ChangeWaiter(this.#watchers, signal);
    const known = new Set<string>();
    // Read before the rows: a change in between is then yielded twice, and not missed.
    let seen: IndexRevision = await this.#read((table) => table.revision());
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page: SessionRowPage = await this.page(query, {
        order: "session",
        limit: watchPageSize,
        ...(cursor !== undefined && { cursor }),
      });
      for (const row of page.rows) {
        known.add(row.session);
        yield { session: row.session, row };
        if (signal.aborted) return;
      }
      cursor = page.next;
    }
    for (;;) {
      const { rows, revision } = await this.#read((table) => table.changedSince(seen.revision, watchPageSize));
      for (const row of rows) {
        const isMatch = matchesRowQuery(row, query);
        if (isMatch) known.add(row.session);
        else if (!known.delete(row.session)) continue;
        yield { session: row.session, row: isMatch ? row : null };
        if (signal.aborted) return;
      }
      const { removals } = await this.#read((table) => table.revision());
      if (removals !== seen.removals) {
        for (const session of known) {
          if ((await this.get(session)) !== undefined) continue;
          known.delete(session);
          yield { session, row: null };
          if (signal.aborted) return;
        }
      }
      seen = { revision, removals };
      if (rows.length < watchPageSize) await changes.wait();
      if (signal.aborted) return;
    }
  }

  async take(name: string, holder: NameHolder, replaces?: string): Promise<NameHolder> {
    return await this.#write((table) => {
      const current = table.holder(name);
      if (current !== undefined && ![replaces, holder.session].includes(current.session)) return current;
      table.setHolder(name, holder);
      return holder;
    });
  }

  async release(name: string, session: string): Promise<void> {
    await this.#write((table) => table.removeHolder(name, session));
  }

  async readPosition(): Promise<LogPosition | null> {
    return await this.#read((table) => table.position);
  }

  async writePosition(position: LogPosition): Promise<void> {
    await this.#write((table) => (table.position = position));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#draining;
    this.#isClosed = true;
    if (this.#database.isOpen) this.#database.close();
    for (const notify of this.#watchers) notify();
  }

  async #read<Result>(action: (table: RowTable) => Result): Promise<Result> {
    return await retryWhileBusy(() => this.#repairing(() => action(this.#table)), toIndexError);
  }

  #write<Result>(apply: (table: RowTable) => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#queue.push({ apply, resolve: (result) => resolve(result as Result), reject });
    this.#draining ??= this.#drain();
    return promise;
  }

  /** Commits all writes of one turn of the event loop together, because a commit costs more than a row. */
  async #drain(): Promise<void> {
    await nextTurn();
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0);
      try {
        const results = await retryWhileBusy(() => this.#repairing(() => this.#commit(group)), toIndexError);
        for (const [index, { resolve }] of group.entries()) resolve(results[index]);
        for (const notify of this.#watchers) notify();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#draining = undefined;
  }

  #commit(group: readonly PendingWrite[]): unknown[] {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const results = group.map(({ apply }) => apply(this.#table));
      this.#database.exec("COMMIT");
      return results;
    } catch (error) {
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Runs an action. If the file is damaged, replaces it and runs the action on the empty index. */
  #repairing<Result>(action: () => Result): Result {
    if (this.#isClosed) throw new FairleadError("unavailable", "The session index is closed.");
    try {
      return action();
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (this.#database.isOpen) this.#database.close();
      this.#database = this.#recreate();
      this.#table = new RowTable(this.#database);
      this.#replacements += 1;
      return action();
    }
  }
}

/** Waits for a change by this process, by polling for a change by another one, or for the end of a watch. */
class ChangeWaiter implements Disposable {
  readonly #stack = new DisposableStack();
  #change = Promise.withResolvers<void>();

  constructor(watchers: Set<() => void>, signal: AbortSignal) {
    const notify = (): void => this.#change.resolve();
    watchers.add(notify);
    signal.addEventListener("abort", notify);
    const timer = setInterval(notify, pollIntervalMs);
    this.#stack.defer(() => {
      watchers.delete(notify);
      signal.removeEventListener("abort", notify);
      clearInterval(timer);
    });
  }

  async wait(): Promise<void> {
    await this.#change.promise;
    this.#change = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}

function toIndexError(error: unknown): FairleadError {
  if (FairleadError.isInstance(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new FairleadError("unavailable", `The session index cannot be used: ${message}`, { cause: error });
}
