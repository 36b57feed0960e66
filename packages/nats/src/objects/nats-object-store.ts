import { FairleadError } from "@fairlead/contract";
import type { ObjectStore } from "@fairlead/engine";
import type { NatsConnection } from "@nats-io/transport-node";
import { randomUUID } from "node:crypto";
import { replaceMessage } from "../queue/replace-message.ts";
import { StreamRequests } from "../queue/stream-requests.ts";
import { ChunkStore } from "./chunk-store.ts";
import { listRecords } from "./list-records.ts";
import { ObjectLayout } from "./object-layout.ts";
import { createCorruptObjectError, decodeObjectRecord, type ObjectRecord } from "./object-record.ts";
import { claimSweep, leftoverAgeMs, removeLeftovers } from "./remove-leftovers.ts";

export interface NatsObjectStoreOptions {
  /** A connection that the caller closes. */
  readonly connection: NatsConnection;
  readonly namespace: string;
  /** How long a call waits for servers that do not answer, in milliseconds. Default: 15 seconds. */
  readonly timeout?: number;
}

interface WrittenRecord {
  /** Whether the record is that of the key now. Otherwise it may have been, for a moment. */
  readonly isStored: boolean;
  /** The name of the chunks that no record names any more, whichever process has replaced their record. */
  readonly replaced: string | undefined;
}

const maxKeyLength = 1000;
const maxObjectBytes = 256 * 1024 ** 2;
/** Far less than the age of leftovers, so that chunks whose record is about to be written are never taken for some. */
const maxPutMs = leftoverAgeMs / 4;
const sweepCheckMs = 60 * 60 * 1000;

/**
 * Stores objects in two streams: the bytes in chunks, under a random name for each `put`, and then a record for the key that
 * names them, by compare-and-set. So a reader finds all chunks of one object, or finds them removed and reads the record again.
 * `createObjectStreams` must have created the streams.
 *
 * A process that ends during `put` or `remove` may leave chunks that no record names. About every six hours, one process that
 * stores an object removes those that are older than two hours.
 */
export class NatsObjectStore implements ObjectStore, AsyncDisposable {
  readonly #requests: StreamRequests;
  readonly #layout: ObjectLayout;
  readonly #chunks: ChunkStore;
  #nextSweepCheck = 0;

  constructor({ connection, namespace, timeout }: NatsObjectStoreOptions) {
    this.#requests = new StreamRequests(connection, timeout);
    this.#layout = new ObjectLayout(namespace);
    this.#chunks = new ChunkStore(this.#requests, this.#layout);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    assertKey(key);
    if (bytes.length > maxObjectBytes) {
      const sizes = `it has ${bytes.length} bytes, and ${maxObjectBytes} are allowed`;
      throw new FairleadError("too-large", `The object "${key.slice(0, 40)}" is too large: ${sizes}.`);
    }
    for (;;) {
      const start = performance.now();
      const id = randomUUID();
      const record = { key, id, ...(await this.#chunks.write(id, bytes)) };
      const { isStored, replaced } = await this.#writeRecord(record);
      if (replaced !== undefined) await this.#removeReplaced(replaced);
      // Another process wrote a record meanwhile. It may have replaced this one, whose answer was lost, and removed the chunks.
      if (!isStored) await this.#removeReplaced(id);
      // A process that was paused for long may have written its record after its chunks were removed as leftovers.
      else if (performance.now() - start < maxPutMs) break;
    }
    this.#sweepSometimes();
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    assertKey(key);
    for (let previous: number | undefined; ;) {
      const message = await this.#requests.readLast(this.#layout.objects, this.#layout.recordSubject(key));
      if (message === undefined) return undefined;
      const record = decodeObjectRecord(message.payload, key);
      if (record === undefined) throw createCorruptObjectError(key, "its record is damaged");
      const result = await this.#chunks.read(record);
      if (typeof result === "object") return result.bytes;
      if (result === "damaged") throw createCorruptObjectError(key, "its bytes are damaged");
      // Chunks are removed after their record was replaced.
      if (message.sequence === previous) throw createCorruptObjectError(key, "some of its bytes are missing");
      previous = message.sequence;
    }
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const subject = this.#layout.recordsWithPrefix(prefix);
    const records = await listRecords(this.#requests, this.#layout, { subject });
    const keys = records.map(({ key }) => key).filter((key) => key.startsWith(prefix));
    const encoded = keys.map((key) => Buffer.from(key));
    for (const key of encoded.toSorted((one, other) => one.compare(other))) yield key.toString();
  }

  async remove(key: string): Promise<void> {
    assertKey(key);
    const subject = this.#layout.recordSubject(key);
    const message = await this.#requests.readLast(this.#layout.objects, subject);
    const purge = { filter: subject };
    await this.#requests.call("remove an object", `STREAM.PURGE.${this.#layout.objects}`, purge);
    const record = message === undefined ? undefined : decodeObjectRecord(message.payload, key);
    if (record !== undefined) await this.#removeReplaced(record.id);
  }

  /** Removes what processes that ended have left. Returns the number of objects whose chunks were removed. */
  async removeLeftovers(minimumAgeMs: number = leftoverAgeMs): Promise<number> {
    return await removeLeftovers(this.#search, minimumAgeMs);
  }

  /** Rejects all calls, also those under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#requests[Symbol.dispose]();
  }

  get #search(): { requests: StreamRequests; layout: ObjectLayout; chunks: ChunkStore } {
    return { requests: this.#requests, layout: this.#layout, chunks: this.#chunks };
  }

  /** Writes the record of a key, unless another process writes one at the same time. */
  async #writeRecord(record: ObjectRecord): Promise<WrittenRecord> {
    const subject = this.#layout.recordSubject(record.key);
    const last = await this.#requests.readLast(this.#layout.objects, subject);
    const revision = await replaceMessage(this.#requests, "store an object", {
      stream: this.#layout.objects,
      subject,
      payload: Buffer.from(JSON.stringify(record)),
      expected: last?.sequence ?? 0,
      isOwn: ({ payload }) => decodeObjectRecord(payload)?.id === record.id,
    });
    const replaced = last === undefined ? undefined : decodeObjectRecord(last.payload)?.id;
    return { isStored: revision !== undefined, replaced };
  }

  /** The object is stored or removed, even if its former chunks stay as leftovers. */
  async #removeReplaced(id: string): Promise<void> {
    await this.#chunks.remove(id).catch(() => {});
  }

  #sweepSometimes(): void {
    if (performance.now() < this.#nextSweepCheck) return;
    this.#nextSweepCheck = performance.now() + sweepCheckMs;
    // If it fails, another process tries six hours later.
    void claimSweep(this.#search).then(
      async (isClaimed) => {
        if (isClaimed) await this.removeLeftovers().catch(() => {});
      },
      () => {},
    );
  }
}

function assertKey(key: string): void {
  if (key.length > 0 && key.length <= maxKeyLength && !key.includes("\0") && key.isWellFormed()) return;
  const rule = `1 to ${maxKeyLength} characters without U+0000 and unpaired surrogates`;
  throw new FairleadError("invalid-request", `The key of an object must have ${rule}.`);
}
