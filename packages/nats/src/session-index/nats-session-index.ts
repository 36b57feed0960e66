import {
  decodeCursor,
  encodeCursor,
  type LogPosition,
  type NameHolder,
  type SessionIndex,
  type SessionPageOptions,
  type SessionRow,
  type SessionRowChange,
  type SessionRowCount,
  type SessionRowPage,
  type SessionRowQuery,
} from "@fairlead/journal";
import { encodeSessionToken } from "../log/session-token.ts";
import { IndexPosition } from "./index-position.ts";
import { createIndexError } from "./index-error.ts";
import { NameHolders } from "./name-holders.ts";
import { RevisedBucket } from "./revised-bucket.ts";
import { decodeRow, unpackRow } from "./row-value.ts";
import { SessionCopy, type SessionCopyOptions } from "./session-copy.ts";
import { SessionPuts } from "./session-puts.ts";
import { watchCopy } from "./watch-copy.ts";

const defaultLimit = 100;
/** A process that asked once, for example when it started, must not receive all changes of a fleet from then on. */
const maxIdleMs = 5 * 60_000;
/** How long a read waits for a server before the copy answers. */
const readPatience = 2_000;

export interface NatsSessionIndexParts extends Omit<SessionCopyOptions, "bucket"> {
  readonly buckets: { readonly sessions: string; readonly names: string };
  /** Ends queries and watches, and closes the connection if it belongs to the index. */
  readonly close: () => Promise<void>;
}

/**
 * A session index in buckets of JetStream. Rows and names are written there by compare-and-set. Pages, counts and watches come
 * from a copy of all rows in this process. It is read by the first query, and closed when none has used it for five minutes.
 * Another process's write is in the copy some milliseconds later; `get` asks the servers. While servers do not answer, the copy
 * answers for 30 seconds, which an election does not exceed. Then queries throw `unavailable`. A watch waits, and continues
 * with the newest rows.
 */
export class NatsSessionIndex implements SessionIndex {
  /** Servers do not replace a damaged bucket. */
  readonly replacements = 0;
  readonly #parts: NatsSessionIndexParts;
  readonly #rows: RevisedBucket;
  readonly #puts: SessionPuts;
  readonly #names: NameHolders;
  readonly #position: IndexPosition;
  readonly #writing = new Set<Promise<unknown>>();
  readonly #idleTimer: NodeJS.Timeout;
  #copy: SessionCopy | undefined;
  #isClosing = false;

  constructor(parts: NatsSessionIndexParts) {
    this.#parts = parts;
    const { connection, buckets, contentVersion, closed, timeout } = parts;
    this.#rows = new RevisedBucket({ connection, bucket: buckets.sessions, closed, timeout });
    const names = new RevisedBucket({ connection, bucket: buckets.names, closed, timeout });
    this.#names = new NameHolders(names);
    this.#position = new IndexPosition(names, contentVersion);
    this.#puts = new SessionPuts({
      bucket: this.#rows,
      contentVersion,
      copy: () => this.#copy,
      replaceVersion: () => this.#position.claimVersion(),
    });
    this.#idleTimer = setInterval(() => {
      if ((this.#copy?.idleTime ?? 0) > maxIdleMs) void this.#closeCopy();
    }, maxIdleMs / 5).unref();
  }

  async put(row: SessionRow): Promise<boolean> {
    return await this.#write(() => this.#puts.put(row));
  }

  async get(session: string): Promise<SessionRow | undefined> {
    this.#assertOpen("read");
    const copy = this.#copy?.isUsable === true ? this.#copy : undefined;
    const decode = (data: Uint8Array) => ({ row: decodeRow(session, data, this.#parts.contentVersion) });
    try {
      const stored = await this.#rows.read(encodeSessionToken(session), decode, copy && readPatience);
      this.#puts.remember(session, stored);
      return stored.value?.row && unpackRow(stored.value.row);
    } catch (error) {
      if (this.#isClosing || copy?.isUsable !== true) throw error;
      const row = copy.get(session);
      return row && unpackRow(row);
    }
  }

  /**
   * Removes a row, its name, and the names that this process has taken for the session. No read finds the content then. The
   * servers' files may have bytes of it until they reuse the space. A marker with the session's id stays.
   */
  async remove(session: string): Promise<void> {
    await this.#write(async () => {
      const name = await this.#puts.remove(session);
      await this.#names.releaseAll(session, name);
    });
  }

  async page(query: SessionRowQuery, options: SessionPageOptions = {}): Promise<SessionRowPage> {
    this.#assertOpen("read");
    const { cursor, limit = defaultLimit, order = "activity" } = options;
    const after = cursor === undefined ? undefined : decodeCursor(order, cursor);
    const copy = await this.#openCopy();
    // One more than the page, to know whether there is another one.
    const found = copy.rows.select({ query, order, after, limit: limit + 1 });
    const rows = found.slice(0, limit).map(unpackRow);
    const last = rows.at(-1);
    return { rows, next: found.length > limit && last !== undefined ? encodeCursor(order, last) : null };
  }

  async count(query: SessionRowQuery): Promise<readonly SessionRowCount[]> {
    this.#assertOpen("read");
    return (await this.#openCopy()).rows.count(query);
  }

  async *watch(query: SessionRowQuery, signal: AbortSignal): AsyncGenerator<SessionRowChange, void> {
    this.#assertOpen("watch");
    if (signal.aborted) return;
    yield* watchCopy(await this.#openCopy(), query, signal, this.#parts.closed);
  }

  async take(name: string, holder: NameHolder, replaces?: string): Promise<NameHolder> {
    return await this.#write(() => this.#names.take(name, holder, replaces));
  }

  async release(name: string, session: string): Promise<void> {
    await this.#write(() => this.#names.release(name, session));
  }

  async readPosition(): Promise<LogPosition | null> {
    this.#assertOpen("read");
    return await this.#position.read();
  }

  /** Writes nothing if a process of another content version has replaced rows since this one read the position. */
  async writePosition(position: LogPosition): Promise<void> {
    await this.#write(() => this.#position.write(position));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearInterval(this.#idleTimer);
    await Promise.allSettled(this.#writing);
    const closing = this.#closeCopy();
    await this.#parts.close();
    await closing;
  }

  async #openCopy(): Promise<SessionCopy> {
    this.#copy ??= new SessionCopy({ ...this.#parts, bucket: this.#parts.buckets.sessions });
    const copy = this.#copy;
    await copy.whenUsable();
    return copy;
  }

  async #closeCopy(): Promise<void> {
    const copy = this.#copy;
    this.#copy = undefined;
    await copy?.[Symbol.asyncDispose]();
  }

  async #write<Result>(action: () => Promise<Result>): Promise<Result> {
    this.#assertOpen("write");
    const writing = action();
    this.#writing.add(writing);
    try {
      return await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  #assertOpen(action: string): void {
    if (this.#isClosing || this.#parts.closed.aborted) throw createIndexError(action);
  }
}
