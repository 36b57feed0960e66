import { randomBytes } from "node:crypto";
import { lastSequenceOf, type EventBatch, type Fence, type Journal } from "@fairlead/journal";
import { interceptRequests, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let bench: NatsLogBench;
beforeAll(async () => {
  // A message may have 64 KiB, so that a batch of some hundred kilobytes needs several.
  bench = await NatsLogBench.start(1, "64KB");
});
afterAll(() => bench[Symbol.asyncDispose]());

/** Random bytes, which compression does not make smaller. */
const largeEvent = (bytes = 300_000): Buffer => randomBytes(bytes);

const batchOf = (epoch: number, first: number, ...events: readonly Uint8Array[]): EventBatch => ({
  session: "s",
  epoch,
  first,
  events,
  owner: "owner",
});

async function readEvents(log: Journal, after = 0): Promise<string[]> {
  const batches = await Array.fromAsync(log.read("s", after));
  return batches.flatMap(({ events }) => events.map((event) => Buffer.from(event).toString("hex")));
}

/** Opens a log that calls a function before it sends the message with an index, counted from 0. */
async function openWith(
  namespace: string,
  beforeSending: (index: number) => Promise<void>,
  timeout?: number,
): Promise<Journal> {
  let index = 0;
  const intercept: RequestInterceptor = async (subject, send) => {
    if (subject.startsWith(`${namespace}.log.`)) await beforeSending(index++);
    return await send();
  };
  return await bench.open(namespace, (connection) => interceptRequests(connection, intercept), timeout);
}

test("stores a batch that is larger than a message in parts, for readers, watchers and the tail", async () => {
  const namespace = await bench.createNamespace();
  let sent = 0;
  await using log = await openWith(namespace, async (index) => void (sent = index + 1));
  await using other = await bench.open(namespace);
  const events = [largeEvent(), Buffer.from("small"), largeEvent(10)];
  const watched = firstBatch(other, 3);
  let { fence } = await log.claim("s", "owner");
  fence = await log.append(batchOf(1, 1, ...events), fence);
  expect(sent).toBeGreaterThan(5);
  fence = await log.append(batchOf(1, 4, Buffer.from("next")), fence);
  expect(await other.tail("s")).toEqual({ epoch: 1, last: 4, fence, owner: "owner" });
  const texts = [...events, Buffer.from("next")].map((event) => event.toString("hex"));
  for (let after = 0; after <= 4; after++) expect(await readEvents(other, after)).toEqual(texts.slice(after));
  expect((await watched).events.map((event) => Buffer.from(event).toString("hex"))).toEqual(texts.slice(0, 3));
});

test.for([1, 2, 4])("ignores the parts of a writer that dies before message %i of the batch", async (count) => {
  const namespace = await bench.createNamespace();
  let isDead = false;
  const die = async (index: number): Promise<void> => {
    // Message 0 is the claim.
    if (index > count) isDead = true;
    if (isDead) throw new Error("dead");
  };
  const dying = await openWith(namespace, die, 200);
  await using other = await bench.open(namespace);
  const { fence } = await dying.claim("s", "owner");
  await expect(dying.append(batchOf(1, 1, largeEvent()), fence)).rejects.toMatchObject({ code: "unavailable" });

  expect(await other.tail("s")).toEqual({ epoch: 1, last: 0, fence, owner: "owner" });
  expect(await readEvents(other)).toEqual([]);
  const claim = await other.claim("s", "successor");
  expect(claim).toMatchObject({ epoch: 2, last: 0 });
  const event = largeEvent();
  await other.append({ ...batchOf(2, 1, event), owner: "successor" }, claim.fence);
  isDead = false;
  await expect(dying.append(batchOf(1, 1, largeEvent()), fence)).rejects.toMatchObject({ code: "fenced" });
  expect(await readEvents(other)).toEqual([event.toString("hex")]);
});

test("the same owner appends again after a batch whose parts were left", async () => {
  const namespace = await bench.createNamespace();
  let isCut = false;
  const cut = async (index: number): Promise<void> => {
    if (index === 3) isCut = true;
    if (isCut) throw new Error("cut");
  };
  await using log = await openWith(namespace, cut, 200);
  let { fence } = await log.claim("s", "owner");
  await expect(log.append(batchOf(1, 1, largeEvent()), fence)).rejects.toMatchObject({ code: "unavailable" });
  isCut = false;
  const event = largeEvent();
  fence = await log.append(batchOf(1, 1, event), fence);
  await log.append(batchOf(1, 2, Buffer.from("b")), fence);
  expect(await readEvents(log)).toEqual([event.toString("hex"), Buffer.from("b").toString("hex")]);
});

test.for([2, 3, 5])("a claim before message %i of a batch fences it, and nothing of it is read", async (moment) => {
  const namespace = await bench.createNamespace();
  await using other = await bench.open(namespace);
  let claimed: Fence | undefined;
  await using log = await openWith(namespace, async (index) => {
    if (index === moment) claimed = (await other.claim("s", "other")).fence;
  });
  const { fence } = await log.claim("s", "owner");
  await expect(log.append(batchOf(1, 1, largeEvent()), fence)).rejects.toMatchObject({ code: "fenced" });
  expect(await other.tail("s")).toEqual({ epoch: 2, last: 0, fence: claimed, owner: "other" });
  await other.append({ ...batchOf(2, 1, Buffer.from("a")), owner: "other" }, claimed ?? 0n);
  expect(await readEvents(log)).toEqual([Buffer.from("a").toString("hex")]);
});

test("a watch after a batch in parts gets the next event", async () => {
  await using log = await bench.open(await bench.createNamespace());
  const claim = await log.claim("s", "owner");
  const fence = await log.append(batchOf(1, 1, largeEvent()), claim.fence);
  const watcher = log.watch("s", 1, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
  const next = watcher.next();
  await log.append(batchOf(1, 2, Buffer.from("next")), fence);
  expect((await next).value).toMatchObject({ first: 2 });
  await watcher.return?.();
});

test(
  "reads from any place of batches in parts, also of one that spans many messages",
  { timeout: 20_000 },
  async () => {
    await using log = await bench.open(await bench.createNamespace(1));
    let { fence, last } = await log.claim("s", "owner");
    for (const count of [40, 40, 40, 2_500, 40]) {
      const events = Array.from({ length: count }, () => largeEvent(count === 40 ? 4_000 : 1_000));
      fence = await log.append(batchOf(1, last + 1, ...events), fence);
      last += count;
    }
    for (const after of [0, 39, 40, 79, 80, 100, 119, 120, 1_300, 2_619, 2_620, 2_640]) {
      const [batch] = await Array.fromAsync(log.read("s", after, { limit: 1 }));
      expect(batch).toMatchObject({ first: after + 1 });
    }
  },
);

test("refuses an owner's text that leaves no room for data in a message", async () => {
  await using log = await bench.open(await bench.createNamespace());
  const owner = "o".repeat(65_000);
  await expect(log.claim("s", owner)).rejects.toMatchObject({ code: "invalid-request" });
  expect(await log.tail("s")).toMatchObject({ epoch: 0 });
});

/** Returns the first batch that ends at a sequence or after it. */
async function firstBatch(log: Journal, last: number): Promise<EventBatch> {
  for await (const batch of log.watch("s", 0, AbortSignal.timeout(20_000)))
    if (lastSequenceOf(batch) >= last) return batch;
  throw new Error(`No batch ended at ${last}.`);
}
