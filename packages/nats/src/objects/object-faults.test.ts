import { interceptRequests, refusal, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { TimeoutError, type NatsConnection, type PublishOptions } from "@nats-io/transport-node";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createObjectStreams } from "./create-object-streams.ts";
import { NatsObjectStore } from "./nats-object-store.ts";
import { ObjectLayout } from "./object-layout.ts";
import { ObjectRecord } from "./object-record.ts";

const mebibyte = 1024 ** 2;
// 32 passes too, and takes a minute on two busy cores.
const replacedMebibytes = 6;
const corrupt = { code: "corrupt" };

let bench: NatsLogBench;
let connection: NatsConnection;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
  connection = await bench.connect();
});
afterAll(() => bench[Symbol.asyncDispose]());

let count = 0;
async function createLayout(): Promise<ObjectLayout> {
  const namespace = `objects-${count++}`;
  await createObjectStreams(connection, { namespace, replicas: 1 });
  return new ObjectLayout(namespace);
}

async function openStore(layout: ObjectLayout, intercept?: RequestInterceptor): Promise<NatsObjectStore> {
  const own = await bench.connect();
  const namespace = layout.objects.slice(0, layout.objects.lastIndexOf("_"));
  return new NatsObjectStore({
    connection: intercept === undefined ? own : interceptRequests(own, intercept),
    namespace,
  });
}

async function countChunks(layout: ObjectLayout): Promise<number> {
  const { streams } = await jetstreamManager(connection);
  return (await streams.info(layout.chunks)).state.messages;
}

async function readRecord(layout: ObjectLayout, key: string): Promise<ObjectRecord> {
  const { streams } = await jetstreamManager(connection);
  const message = await streams.getMessage(layout.objects, { last_by_subj: layout.recordSubject(key) });
  return ObjectRecord.parse(message?.json());
}

function areEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && Buffer.compare(one, other) === 0;
}

test("four readers get whole objects while they are replaced 20 times, and no old chunks stay", async () => {
  const layout = await createLayout();
  const store = await openStore(layout);
  const versions = [1, 2, 3].map((n) => Buffer.alloc(replacedMebibytes * mebibyte - n * 1_000, n));
  await store.put("k", versions[0] as Buffer);
  const stop = new AbortController();
  const readers = [1, 2, 3, 4].map(async () => {
    const reader = await openStore(layout);
    let reads = 0;
    for (; !stop.signal.aborted; reads++) {
      const bytes = await reader.get("k");
      expect(versions.some((version) => areEqual(bytes, version))).toBe(true);
    }
    return reads;
  });
  for (let n = 1; n <= 20; n++) await store.put("k", versions[n % 3] as Buffer);
  stop.abort();
  const reads = await Promise.all(readers);
  expect(Math.min(...reads)).toBeGreaterThan(0);
  expect(await countChunks(layout)).toBe(replacedMebibytes);
});

test("a writer that ends before its record leaves no object, and its chunks are removed later", async () => {
  const layout = await createLayout();
  const store = await openStore(layout);
  const kept = randomBytes(3 * mebibyte);
  await store.put("kept", kept);
  const { promise: isWritten, resolve } = Promise.withResolvers<void>();
  const dying = await openStore(layout, async (subject, send) => {
    if (!subject.startsWith(layout.allObjects.slice(0, -1))) return await send();
    resolve();
    return await new Promise(() => {});
  });
  for (const key of ["kept", "new"]) void dying.put(key, randomBytes(2 * mebibyte)).catch(() => {});
  await isWritten;
  await expect.poll(() => countChunks(layout)).toBe(7);
  await dying[Symbol.asyncDispose]();
  expect(await store.get("new")).toBeUndefined();
  expect(await store.removeLeftovers()).toBe(0); // they may be those of a slow writer
  expect(await countChunks(layout)).toBe(7);
  expect(await store.removeLeftovers(0)).toBe(2);
  expect(await countChunks(layout)).toBe(3);
  expect(areEqual(await store.get("kept"), kept)).toBe(true);
});

test("leftovers that cannot be removed keep no others from being removed", async () => {
  const layout = await createLayout();
  // A request that is refused with it is not repeated.
  const lasting = 10059;
  const writing = await openStore(layout, async (subject, send) => {
    if (subject.startsWith(layout.allObjects.slice(0, -1))) return refusal(lasting);
    return await send();
  });
  for (const key of ["a", "b", "c"]) await expect(writing.put(key, randomBytes(10))).rejects.toThrow();
  expect(await countChunks(layout)).toBe(3);
  let purges = 0;
  const store = await openStore(layout, async (subject, send) => {
    if (subject.includes("STREAM.PURGE") && (purges += 1) === 1) return refusal(lasting);
    return await send();
  });
  await expect(store.removeLeftovers(0)).rejects.toThrow();
  expect(await countChunks(layout)).toBe(1);
  expect(await store.removeLeftovers(0)).toBe(1);
});

test("refusals and lost answers neither lose nor damage objects, and leave no chunks", async () => {
  const layout = await createLayout();
  let requests = 0;
  const faults: RequestInterceptor = async (subject, send) => {
    if (!subject.startsWith(layout.allObjects.slice(0, -1))) return await send();
    const fault = requests++ % 5;
    if (fault === 0) return refusal(10164);
    if (fault === 1) throw new TimeoutError();
    const reply = await send();
    if (fault === 3) throw new TimeoutError();
    return reply;
  };
  const stores = await Promise.all([1, 2, 3].map(() => openStore(layout, faults)));
  const put = async (store: NatsObjectStore, writer: number): Promise<void> => {
    for (let n = 0; n < 10; n++) await store.put("shared", Buffer.from(`${writer} ${n}`));
  };
  await Promise.all(stores.map(put));
  const [store] = stores as [NatsObjectStore];
  expect(Buffer.from((await store.get("shared")) ?? []).toString()).toMatch(/^\d 9$/);
  expect(await countChunks(layout)).toBe(1);
  expect(requests).toBeGreaterThan(40);
});

test("an object that is stored while the server is killed is whole", async () => {
  const layout = await createLayout();
  const store = await openStore(layout);
  const [old, next] = [randomBytes(8 * mebibyte), randomBytes(8 * mebibyte)];
  await store.put("k", old);
  const put = store.put("k", next);
  await expect.poll(() => countChunks(layout), { interval: 1 }).toBeGreaterThan(8);
  await bench.cluster.kill(0);
  bench.cluster.restart(0);
  await bench.cluster.waitUntilReady();
  await put;
  expect(areEqual(await store.get("k"), next)).toBe(true);
});

test.for([
  [
    "a missing chunk",
    async (layout: ObjectLayout, { id }: ObjectRecord) => {
      const purge = JSON.stringify({ filter: layout.chunkSubject(id), keep: 2 });
      await connection.request(`$JS.API.STREAM.PURGE.${layout.chunks}`, purge);
    },
  ],
  [
    "other chunks",
    async (layout: ObjectLayout, record: ObjectRecord) => {
      await storeRecord(layout, { ...record, chunks: record.chunks.toReversed() });
    },
  ],
  [
    "another digest",
    async (layout: ObjectLayout, record: ObjectRecord) => {
      await storeRecord(layout, { ...record, sha256: "0".repeat(64) });
    },
  ],
  [
    "a wrong size",
    async (layout: ObjectLayout, record: ObjectRecord) => {
      await storeRecord(layout, { ...record, size: 1e15 });
    },
  ],
  [
    "chunks of another object",
    async (layout: ObjectLayout, record: ObjectRecord) => {
      const { chunks } = await readRecord(layout, "intact");
      await storeRecord(layout, { ...record, chunks });
    },
  ],
  [
    "the record of another key",
    async (layout: ObjectLayout, { key }: ObjectRecord) => {
      const other = JSON.stringify(await readRecord(layout, "intact"));
      await connection.request(layout.recordSubject(key), other);
    },
  ],
  [
    "a record that is no JSON",
    async (layout: ObjectLayout, { key }: ObjectRecord) => {
      await connection.request(layout.recordSubject(key), "{");
    },
  ],
] as const)("finds %s", async ([, damage]) => {
  const layout = await createLayout();
  const store = await openStore(layout);
  const bytes = randomBytes(2.5 * mebibyte);
  for (const key of ["k", "intact"]) await store.put(key, bytes);
  await damage(layout, await readRecord(layout, "k"));
  await expect(store.get("k")).rejects.toMatchObject(corrupt);
  expect(areEqual(await store.get("intact"), bytes)).toBe(true);
  expect(await Array.fromAsync(store.list(""))).toContain("intact");
  await store.put("k", bytes);
  expect(areEqual(await store.get("k"), bytes)).toBe(true);
});

async function storeRecord(layout: ObjectLayout, record: ObjectRecord): Promise<void> {
  await connection.request(layout.recordSubject(record.key), JSON.stringify(record), { timeout: 10_000 });
}

test("lists more objects than a page has, by any prefix", async () => {
  const layout = await createLayout();
  const store = await openStore(layout);
  const keys = Array.from({ length: 1_500 }, (_, n) => `memory/${n % 30}/file ${String(n).padStart(4, "0")}`);
  const record = (key: string): ObjectRecord => ({ key, id: key.slice(-4), size: 0, sha256: "", chunks: [] });
  for (let n = 0; n < keys.length; n += 100) {
    await Promise.all(keys.slice(n, n + 100).map((key) => storeRecord(layout, record(key))));
  }
  const list = async (prefix: string): Promise<string[]> => await Array.fromAsync(store.list(prefix));
  for (const prefix of ["", "mem", "memory/", "memory/7/", "memory/7/file 01", "memory/7", "memory/7/file 0007"]) {
    expect(await list(prefix), prefix).toEqual(keys.filter((key) => key.startsWith(prefix)).toSorted());
  }
});

test("reads the records from the leader that a replica does not have yet", async () => {
  const layout = await createLayout();
  const keys = ["a", "b", "c"];
  for (const key of keys) await (await openStore(layout)).put(key, Buffer.from(key));
  // The servers answer as a replica that has no message would.
  const lagging = new Proxy(await bench.connect(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "publish") return value.bind(target) as unknown;
      return (subject: string, payload: string, options: PublishOptions) => {
        const query = JSON.parse(payload) as object;
        target.publish(subject, JSON.stringify({ ...query, seq: 1_000 }), options);
      };
    },
  });
  const namespace = layout.objects.slice(0, layout.objects.lastIndexOf("_"));
  const store = new NatsObjectStore({ connection: lagging, namespace });
  expect(await Array.fromAsync(store.list(""))).toEqual(keys);
});

test("rejects objects that are too large, and all calls when it is closed", async () => {
  const layout = await createLayout();
  const store = await openStore(layout);
  await expect(store.put("k", new Uint8Array(257 * mebibyte))).rejects.toMatchObject({ code: "too-large" });
  const put = store.put("k", new Uint8Array(8 * mebibyte));
  put.catch(() => {});
  await store[Symbol.asyncDispose]();
  const closed = { code: "unavailable" };
  await expect(put).rejects.toMatchObject(closed);
  await expect(store.get("k")).rejects.toMatchObject(closed);
  await expect(store.remove("k")).rejects.toMatchObject(closed);
  await expect(Array.fromAsync(store.list(""))).rejects.toMatchObject(closed);
});
