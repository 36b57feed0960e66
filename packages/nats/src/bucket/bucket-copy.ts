import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Msg } from "@nats-io/transport-node";
import { toBucketEntry, type BucketEntry } from "./bucket-entry.ts";
import type { Bucket, BucketState } from "./bucket.ts";
import { readEntries } from "./read-entries.ts";

// A live message can be lost: the server that has the stream's leader learns of a subscription a little later than the
// server of this connection. So the leader is asked for its newest sequence in this interval, in milliseconds.
const checkInterval = 500;
// Electing a leader takes 5 to 10 seconds, and no entry can change meanwhile. After this time without an answer, this
// process may be cut off from servers that do accept changes.
const defaultStaleAfter = 15_000;

export interface BucketCopyOptions {
  /** Called after the value of a key has changed, and after a key was added or removed. */
  readonly onChange?: (key: string) => void;
  /** The milliseconds without an answer of the leader after which the copy may be old. Default: 15 seconds. */
  readonly staleAfter?: number;
}

/**
 * A copy of a bucket's entries. The servers publish each entry once it is stored. The copy reads from the leader what was
 * lost, and everything after the connection was lost, because a marker of an expired entry may be gone by then.
 */
export class BucketCopy implements Disposable {
  readonly #bucket: Bucket;
  readonly #onChange: (key: string) => void;
  readonly #staleAfter: number;
  readonly #stack = new DisposableStack();
  readonly #stopped = new AbortController();
  readonly #entries = new Map<string, BucketEntry>();
  /** All entries up to this sequence are in the copy. */
  #sequence = 0;
  #created = "";
  /** Whether the copy has been complete since the connection was there. */
  #isComplete = false;
  /** Aborts when the connection is lost. */
  #connected: AbortController | undefined = new AbortController();
  /** When the last check began that found the copy complete. */
  #confirmedAt = -Infinity;
  #startedChecks = 0;
  /** The number of the newest check that found the copy complete. */
  #confirmedCheck = 0;
  #wake = Promise.withResolvers<void>();
  #checked = Promise.withResolvers<void>();
  #failure: unknown;

  constructor(bucket: Bucket, { onChange = () => {}, staleAfter = defaultStaleAfter }: BucketCopyOptions = {}) {
    this.#bucket = bucket;
    this.#onChange = onChange;
    this.#staleAfter = staleAfter;
    if (bucket.closed.aborted) throw bucket.createUnavailableError("be read");
    void this.#watchConnection();
    const subject = bucket.name.liveSubjectOf(">");
    const subscription = bucket.connection.subscribe(subject, {
      callback: (error, message) => this.#receive(error, message),
    });
    this.#stack.defer(() => subscription.unsubscribe());
    const onClosed = (): void => this[Symbol.dispose]();
    bucket.closed.addEventListener("abort", onClosed, { once: true });
    this.#stack.defer(() => bucket.closed.removeEventListener("abort", onClosed));
    void this.#run();
  }

  /** The entries that have a value, by their keys. */
  get entries(): ReadonlyMap<string, BucketEntry> {
    return this.#entries;
  }

  /** Identifies the state of the entries. */
  get version(): string {
    return `${this.#created} ${this.#sequence}`;
  }

  /** Whether the connection is there, and the leader has lately confirmed that no entry is missing. */
  get isCurrent(): boolean {
    return this.#connected !== undefined && this.#isComplete && !this.isStale;
  }

  /** Whether too much time has passed since the leader confirmed that no entry was missing. */
  get isStale(): boolean {
    return this.#stopped.signal.aborted || performance.now() - this.#confirmedAt > this.#staleAfter;
  }

  /** Waits until the copy has everything that was stored before the call. Throws `unavailable` if that takes too long. */
  async confirm(): Promise<void> {
    const before = this.#startedChecks;
    const deadline = AbortSignal.timeout(this.#bucket.timeout);
    const late = Promise.withResolvers<void>();
    deadline.addEventListener("abort", () => late.resolve(), { once: true });
    this.#wake.resolve();
    while (this.#confirmedCheck <= before) {
      if (deadline.aborted || this.#stopped.signal.aborted) throw this.createUnavailableError();
      await Promise.race([this.#checked.promise, late.promise]);
    }
  }

  createUnavailableError(): FairleadError {
    if (this.#stopped.signal.aborted) return this.#bucket.createUnavailableError("be read", this.#failure);
    // Logs show the text of Fairlead's own errors only. The failure of a check that a lost connection ended says less.
    const lost = new FairleadError("unavailable", "the connection to the servers is lost");
    const reason = this.#connected === undefined ? lost : (this.#failure ?? lost);
    return this.#bucket.createUnavailableError("be read", reason);
  }

  [Symbol.dispose](): void {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    this.#wake.resolve();
    this.#checked.resolve();
    this.#stack.dispose();
  }

  async #watchConnection(): Promise<void> {
    const statuses = this.#bucket.connection.status();
    // The client's iterator ends only by its own method, and would stay with a connection that others use.
    this.#stack.defer(() => (statuses as { stop?: () => void }).stop?.());
    for await (const { type } of statuses) {
      if (type === "disconnect") {
        this.#isComplete = false;
        this.#connected?.abort();
        this.#connected = undefined;
      }
      if (type === "reconnect") {
        this.#connected = new AbortController();
        this.#wake.resolve();
      }
    }
  }

  #receive(error: Error | null, message: Msg): void {
    if (error !== null) return this.#wake.resolve();
    const { subject, headers, data } = message;
    const sequence = Number(headers?.get("Nats-Sequence"));
    // A check reads what the copy does not have, and its result replaces what an incomplete copy has.
    if (!this.#isComplete || sequence > this.#sequence + 1) return this.#wake.resolve();
    const stored = headers?.get("Nats-Subject") ?? subject;
    this.#apply([toBucketEntry(this.#bucket.name, { subject: stored, sequence, headers, data })], sequence);
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const wake = (this.#wake = Promise.withResolvers<void>());
      const connected = this.#connected?.signal;
      // A request to lost servers would end seconds after the connection is there again, so it is not waited for.
      if (connected !== undefined) await untilAborted(this.#check(connected), connected);
      this.#checked.resolve();
      this.#checked = Promise.withResolvers();
      const waiting = new AbortController();
      const interval = delay(checkInterval, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
      await Promise.race([wake.promise, interval]);
      waiting.abort();
    }
  }

  async #check(connected: AbortSignal): Promise<void> {
    const number = ++this.#startedChecks;
    const startedAt = performance.now();
    try {
      const state = await this.#bucket.readStateOnce();
      if (this.#isEnded(connected)) return;
      if (state.created !== this.#created || state.lastSequence < this.#sequence) this.#isComplete = false;
      await (this.#isComplete ? this.#readRest(state, connected) : this.#readAll(state, connected));
      if (this.#isEnded(connected)) return;
      this.#confirmedAt = startedAt;
      this.#confirmedCheck = number;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      await delay(50, undefined, { ref: false });
    }
  }

  #isEnded(connected: AbortSignal): boolean {
    return connected.aborted || this.#stopped.signal.aborted;
  }

  async #readRest({ lastSequence }: BucketState, connected: AbortSignal): Promise<void> {
    if (lastSequence <= this.#sequence) return;
    const entries = await readEntries(this.#bucket, this.#sequence + 1, lastSequence);
    if (!this.#isEnded(connected)) this.#apply(entries, lastSequence);
  }

  async #readAll({ created, firstSequence, lastSequence }: BucketState, connected: AbortSignal): Promise<void> {
    const entries = await readEntries(this.#bucket, firstSequence, lastSequence);
    const found = new Set(entries.map(({ key }) => key));
    // A key whose entry was overwritten while the others were read is not among them, although it is there.
    const missing = [...this.#entries.keys()].filter((key) => !found.has(key));
    const last = await Promise.all(missing.map((key) => this.#bucket.readLast(key)));
    if (this.#isEnded(connected)) return;
    this.#sequence = 0;
    this.#created = created;
    this.#isComplete = true;
    const removed = missing.map((key) => ({ key, revision: 0, value: null, writeId: undefined }));
    this.#apply([...removed.filter((_, index) => (last[index]?.value ?? null) === null), ...entries], lastSequence);
    // Entries that were stored meanwhile are missing.
    this.#wake.resolve();
  }

  /** Applies entries in the order of their sequences, except those that are older than the copy. */
  #apply(entries: readonly BucketEntry[], sequence: number): void {
    const before = this.#sequence;
    this.#sequence = Math.max(before, sequence);
    for (const entry of entries) {
      if (entry.revision <= before && entry.revision > 0) continue;
      const { key, value } = entry;
      const present = this.#entries.get(key);
      if (value === null) this.#entries.delete(key);
      else this.#entries.set(key, entry);
      const isSame = value === null ? present === undefined : isEqual(present?.value, value);
      if (!isSame && !this.#stopped.signal.aborted) this.#onChange(key);
    }
  }
}

function isEqual(one: Uint8Array | null | undefined, other: Uint8Array): boolean {
  return one !== null && one !== undefined && Buffer.compare(one, other) === 0;
}

async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", onAbort);
}
