import type { Msg } from "@nats-io/transport-node";
import { createHash } from "node:crypto";
import type { StreamRequests } from "../queue/stream-requests.ts";
import type { ObjectLayout } from "./object-layout.ts";
import type { ObjectRecord } from "./object-record.ts";

/** `gone`: a chunk was removed. `damaged`: the chunks are not those of the record. */
export type ReadChunks = { readonly bytes: Uint8Array } | "gone" | "damaged";

const chunkBytes = 1024 ** 2;
/** Enough to use the network while a server syncs, and little memory for a host that stores many objects. */
const concurrency = 4;
const readTimeout = 5_000;

/** Writes, reads and removes the bytes of objects. */
export class ChunkStore {
  readonly #requests: StreamRequests;
  readonly #layout: ObjectLayout;

  constructor(requests: StreamRequests, layout: ObjectLayout) {
    this.#requests = requests;
    this.#layout = layout;
  }

  /** Stores bytes under a name that no other object has. Returns what an object's record says about them. */
  async write(id: string, bytes: Uint8Array): Promise<Pick<ObjectRecord, "size" | "sha256" | "chunks">> {
    const subject = this.#layout.chunkSubject(id);
    const starts = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) => index * chunkBytes);
    const chunks = await mapConcurrently(starts, async (start) => {
      const chunk = bytes.subarray(start, start + chunkBytes);
      return await this.#requests.store("store an object", subject, chunk);
    });
    return { size: bytes.length, sha256: digest(bytes), chunks };
  }

  async read(record: ObjectRecord): Promise<ReadChunks> {
    const { id, size, sha256, chunks } = record;
    // Compared first: a damaged size could ask for more memory than there is.
    if (Math.ceil(size / chunkBytes) !== chunks.length) return "damaged";
    const bytes = Buffer.allocUnsafeSlow(size);
    const ends = await mapConcurrently([...chunks.entries()], async ([index, sequence]) => {
      const start = index * chunkBytes;
      const chunk = await this.#readChunk(sequence);
      if (chunk === undefined) return "gone";
      if (chunk.subject !== this.#layout.chunkSubject(id)) return "damaged";
      if (chunk.payload.length !== Math.min(chunkBytes, size - start)) return "damaged";
      bytes.set(chunk.payload, start);
      return "read";
    });
    if (ends.includes("gone")) return "gone";
    if (ends.includes("damaged") || digest(bytes) !== sha256) return "damaged";
    return { bytes };
  }

  /** Removes the chunks of an object, durably. */
  async remove(id: string): Promise<void> {
    const purge = { filter: this.#layout.chunkSubject(id) };
    await this.#requests.call("remove an object", `STREAM.PURGE.${this.#layout.chunks}`, purge);
  }

  async #readChunk(sequence: number): Promise<{ subject: string; payload: Uint8Array } | undefined> {
    const { chunks } = this.#layout;
    const query = JSON.stringify({ seq: sequence });
    const reply = await this.#requests.retry("read an object", async () => {
      const options = { timeout: readTimeout };
      return await this.#requests.connection.request(`$JS.API.DIRECT.GET.${chunks}`, query, options);
    });
    const subject = reply.headers?.get("Nats-Subject") ?? "";
    if (!isStatus(reply) && subject !== "") return { subject, payload: reply.data };
    // Any replica answers such a request. One that lags behind does not have the message yet, and the leader has.
    return await this.#requests.readAt(chunks, sequence);
  }
}

function isStatus({ headers }: Msg): boolean {
  return (headers?.code ?? 0) !== 0;
}

function digest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Maps items in their order, some of them at once. Begins no further item when one has failed. */
async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // A loop that throws closes a generator, which ends the other loops.
  const rest = (function* () {
    yield* items.entries();
  })();
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}
