import type { NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { decodeSessionToken } from "../log/session-token.ts";
import { BucketFeed, type FeedReceiver } from "./bucket-feed.ts";
import { createIndexError, isLastingIndexFailure } from "./index-error.ts";
import { MemoryRows } from "./memory-rows.ts";
import { decodeRow, type PackedRow } from "./row-value.ts";

export interface SessionCopyOptions {
  readonly connection: NatsConnection;
  readonly bucket: string;
  readonly contentVersion: number;
  /** Aborts when the index or its connection is closed. */
  readonly closed: AbortSignal;
  /** How long a query waits for servers that do not answer, before the copy was read. */
  readonly timeout: number;
  /** How long the copy answers without the servers, in milliseconds. */
  readonly staleAfter: number;
}

interface CopyEntry {
  /** Undefined for a row that this process has removed and whose removal the feed has not delivered yet. */
  readonly row: PackedRow | undefined;
  readonly revision: number;
  /** The list that had the row. Rows that the newest list does not have are gone. */
  readonly list: number;
}

/** A copy of all rows in the memory of this process. A feed of the bucket keeps it current. */
export class SessionCopy implements FeedReceiver, AsyncDisposable {
  readonly rows = new MemoryRows();
  readonly #options: SessionCopyOptions;
  readonly #feed: BucketFeed;
  readonly #entries = new Map<string, CopyEntry>();
  readonly #listeners = new Set<(session: string) => void>();
  /** Owners, agents and workspaces, which many rows share. */
  readonly #texts = new Map<string, string>();
  readonly #loaded = Promise.withResolvers<void>();
  #isLoaded = false;
  #list = 0;
  #usedAt = performance.now();

  constructor(options: SessionCopyOptions) {
    this.#options = options;
    const { connection, bucket } = options;
    this.#feed = new BucketFeed({ connection, bucket, receiver: this });
  }

  /** How long no query has used the copy, in milliseconds. */
  get idleTime(): number {
    return this.#listeners.size > 0 ? 0 : performance.now() - this.#usedAt;
  }

  /** Whether it has all rows, as they were a short time ago. */
  get isUsable(): boolean {
    return this.#isLoaded && performance.now() - this.#feed.currentAt <= this.#options.staleAfter;
  }

  get(session: string): PackedRow | undefined {
    return this.#entries.get(session)?.row;
  }

  /** The revision of a row, from which a compare-and-set can start. */
  revisionOf(session: string): number | undefined {
    return this.#entries.get(session)?.revision;
  }

  /** Waits until the copy has been read. Throws `unavailable` if the servers do not answer, or have not for too long. */
  async whenUsable(): Promise<void> {
    const { closed, timeout } = this.#options;
    const start = performance.now();
    while (!closed.aborted) {
      this.#usedAt = performance.now();
      if (this.isUsable) return;
      const { failure } = this.#feed;
      const waited = this.#usedAt - Math.max(start, this.#feed.heardAt);
      if (this.#isLoaded || waited > timeout || isLastingIndexFailure(failure)) {
        throw createIndexError("read", failure ?? new Error("the servers do not answer"));
      }
      const woken = new AbortController();
      const signal = AbortSignal.any([closed, woken.signal]);
      await Promise.race([this.#loaded.promise, delay(100, undefined, { signal }).catch(() => {})]);
      woken.abort();
    }
    throw createIndexError("read");
  }

  /** Calls a function with the id of each row that changes. Returns how to stop that. */
  onChange(listener: (session: string) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#usedAt = performance.now();
    };
  }

  /** Applies a write of this process, so that its queries find it before the feed delivers it. */
  applyOwn(session: string, revision: number, data: Uint8Array | undefined): void {
    // Otherwise the feed has delivered it, or what came after it.
    if (revision > this.#feed.revision) this.#apply(session, revision, data, true);
  }

  startList(): void {
    this.#list++;
  }

  receive(key: string, revision: number, data: Uint8Array | undefined): void {
    this.#apply(decodeSessionToken(key), revision, data, false);
  }

  endList(): void {
    for (const [session, { list }] of this.#entries) {
      if (list !== this.#list) this.#set(session, undefined);
    }
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    this.rows.fill(Array.from(this.#entries.values(), ({ row }) => row).filter((row) => row !== undefined));
    this.#loaded.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#feed[Symbol.asyncDispose]();
  }

  #apply(session: string, revision: number, data: Uint8Array | undefined, isOwn: boolean): void {
    const before = this.#entries.get(session);
    // A list of another bucket decides whatever its revisions are.
    const isSameList = before !== undefined && before.list === this.#list;
    // The feed delivers own rows again. Only own removals then have something left to do.
    if (isSameList && (before.revision > revision || (before.revision === revision && before.row !== undefined)))
      return;
    const row = this.#decode(session, data);
    // Until the feed delivers an own removal, it may deliver earlier rows.
    const isGone = row === undefined && !isOwn;
    this.#set(session, isGone ? undefined : { row, revision, list: this.#list });
  }

  #set(session: string, entry: CopyEntry | undefined): void {
    const before = this.#entries.get(session);
    if (entry === undefined) this.#entries.delete(session);
    else this.#entries.set(session, entry);
    // The first list fills the rows when it ends.
    if (!this.#isLoaded || (before?.row === undefined && entry?.row === undefined)) return;
    this.rows.replace(before?.row, entry?.row);
    for (const notify of this.#listeners) notify(session);
  }

  #decode(session: string, data: Uint8Array | undefined): PackedRow | undefined {
    const row = data && decodeRow(session, data, this.#options.contentVersion);
    return (
      row && {
        ...row,
        owner: this.#share(row.owner),
        agent: this.#share(row.agent),
        workspace: this.#share(row.workspace),
      }
    );
  }

  #share(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size > 10_000) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
