import type { EventBatch, Fence, Journal } from "@fairlead/journal";
import { interceptRequests, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const textOf = (batch: EventBatch | void): string | undefined => batch?.events[0] && String(batch.events[0]);

/** Claims session `s` and appends events whose text is a word and their number. */
async function write(log: Journal, word: string, count: number): Promise<Fence> {
  let { fence } = await log.claim("s", word);
  for (let first = 1; first <= count; first++) {
    const content = { events: [Buffer.from(`${word} ${first}`)], notes: [Buffer.from(`${word} note`)] };
    fence = await log.append({ session: "s", epoch: 1, first, owner: word, ...content }, fence);
  }
  return fence;
}

test("after an interrupted removal, watch and notes have nothing of the session", async () => {
  const namespace = await bench.createNamespace(1);
  const intercept: RequestInterceptor = async (subject, send) => {
    if (subject.includes("PURGE")) throw new Error("cut");
    return await send();
  };
  await using cut = await bench.open(namespace, (connection) => interceptRequests(connection, intercept), 200);
  await using log = await bench.open(namespace);
  const fence = await write(cut, "old", 2);
  await expect(cut.forget("s", fence)).rejects.toMatchObject({ code: "unavailable" });
  expect(await Array.fromAsync(log.notes("s"))).toEqual([]);
  const watcher = log.watch("s", 0, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
  const next = watcher.next();
  await write(log, "new", 1);
  expect(textOf((await next).value)).toBe("new 1");
  await watcher.return?.();
});

test("a read ends when the session is forgotten and claimed again", async () => {
  await using log = await bench.open(await bench.createNamespace(1));
  const fence = await write(log, "old", 40);
  const texts: (string | undefined)[] = [];
  for await (const batch of log.read("s", 0, { limit: 39 })) {
    if (texts.push(textOf(batch)) > 1) continue;
    await log.forget("s", fence);
    await write(log, "new", 60);
  }
  expect(texts.filter((text) => text?.startsWith("new"))).toEqual([]);
});

test("a watch yields the new history from its first event, whatever it asked for", async () => {
  await using log = await bench.open(await bench.createNamespace(1));
  const fence = await write(log, "old", 5);
  const watcher = log.watch("s", 4, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
  expect(textOf((await watcher.next()).value)).toBe("old 5");
  const next = watcher.next();
  await log.forget("s", fence);
  await write(log, "new", 7);
  const seen = [textOf((await next).value)];
  while (seen.length < 7) seen.push(textOf((await watcher.next()).value));
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `new ${n}`));
  await watcher.return?.();
});

/** Makes direct reads of the first stream answer from the second one, as a replica does that lags behind a removal. */
function readFromCopy(connection: NatsConnection, namespace: string): NatsConnection {
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "publish") return value.bind(target) as unknown;
      return (subject: string, ...rest: never[]) =>
        (target.publish as (...all: unknown[]) => void)(
          subject === `$JS.API.DIRECT.GET.${namespace}-log-0` ? `$JS.API.DIRECT.GET.${namespace}-copy` : subject,
          ...rest,
        );
    },
  });
}

test.for([0, 1])(
  "does not read a removed history from a replica that lags behind, after %i",
  { timeout: 20_000 },
  async (after) => {
    const namespace = await bench.createNamespace(1);
    await using log = await bench.open(namespace);
    const management = await jetstreamManager(await bench.connect());
    // A mirror keeps what is purged from its origin.
    await management.streams.add({
      name: `${namespace}-copy`,
      mirror: { name: `${namespace}-log-0` },
      allow_direct: true,
    });
    const mirrored = async (): Promise<number> => (await management.streams.info(`${namespace}-copy`)).state.last_seq;
    const fence = await write(log, "old", 3);
    await expect.poll(mirrored, { timeout: 10_000 }).toBe(4);
    await log.forget("s", fence);
    await write(log, "new", 3);
    await expect.poll(mirrored, { timeout: 10_000 }).toBe(9);
    await using lagging = await bench.open(namespace, (connection) => readFromCopy(connection, namespace));
    const texts = (await Array.fromAsync(lagging.read("s", after))).map(textOf);
    expect(texts).toEqual(["new 1", "new 2", "new 3"].slice(after));
    expect((await Array.fromAsync(lagging.notes("s"))).map(String)).toEqual(Array(3).fill("new note"));
  },
);
