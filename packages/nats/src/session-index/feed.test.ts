import type { SessionIndex } from "@fairlead/journal";
import { indexRow, listIndex, waitForIndex } from "@fairlead/testing/nats/index-rows.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createIndexBuckets } from "./index-buckets.ts";
import { openNatsIndex } from "./open-nats-index.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

let count = 0;
const createNamespace = async (): Promise<string> => {
  const namespace = `index-${count++}`;
  await createIndexBuckets(await bench.connect(), { namespace, replicas: 1 });
  return namespace;
};

async function open(namespace: string, connection?: NatsConnection): Promise<SessionIndex> {
  return await openNatsIndex({ connection: connection ?? (await bench.connect()), namespace, contentVersion: 1 });
}

type Deliver = (...message: unknown[]) => void;

/** Returns a connection whose subscriptions deliver through a function. Answers of requests are as before. */
function interceptMessages(connection: NatsConnection, intercept: (deliver: Deliver) => Deliver): NatsConnection {
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "subscribe") return value.bind(target) as unknown;
      return (subject: string, options: { readonly callback: Deliver }) =>
        target.subscribe(subject, { ...options, callback: intercept(options.callback) });
    },
  });
}

/** Delivers messages later, and not closer than 30 ms to each other. */
function delayMessages(connection: NatsConnection, milliseconds: number): NatsConnection {
  let deliveredAt = 0;
  return interceptMessages(connection, (deliver) => (...message) => {
    const now = performance.now();
    deliveredAt = Math.max(now + milliseconds, deliveredAt + 30);
    setTimeout(() => deliver(...message), deliveredAt - now);
  });
}

test("a message that the feed has lost is read again", async () => {
  const namespace = await createNamespace();
  const losses: string[] = [];
  const losing = interceptMessages(await bench.connect(), (deliver) => (error, message) => {
    const { subject } = message as Msg;
    if (losses[0] !== undefined && subject.endsWith(`.${losses[0]}`)) losses.shift();
    else deliver(error, message);
  });
  await using index = await open(namespace, losing);
  await using other = await open(namespace);
  expect(await listIndex(index)).toEqual([]);
  losses.push("b");
  for (const session of ["a", "b", "c"]) await other.put(indexRow(session));
  await waitForIndex(index, ["a 1", "b 1", "c 1"]);
  // Nothing follows that could show that the last one is missing.
  losses.push("d");
  await other.put(indexRow("d"));
  await waitForIndex(index, ["a 1", "b 1", "c 1", "d 1"]);
  expect(losses).toEqual([]);
});

test("own writes are in all reads at once, and stay there while the feed is behind", async () => {
  const namespace = await createNamespace();
  await using index = await open(namespace, delayMessages(await bench.connect(), 200));
  expect(await listIndex(index)).toEqual([]);
  const changes: string[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const { session, row: changed } of index.watch({ prefix: "s" }, watching.signal)) {
      changes.push(`${session} ${changed?.last ?? null}`);
    }
  })();
  const expectFor = async (rows: readonly string[]): Promise<void> => {
    const end = performance.now() + 400;
    while (performance.now() < end) {
      expect(await listIndex(index)).toEqual(rows);
      await delay(5);
    }
  };
  await index.put(indexRow("s", { last: 1 }));
  await index.put(indexRow("s", { last: 2 }));
  await expectFor(["s 2"]);
  await index.put(indexRow("s", { last: 3 }));
  await index.put(indexRow("t"));
  await index.remove("s");
  await expectFor(["t 1"]);
  await index.put(indexRow("s", { last: 4 }));
  await expectFor(["s 4", "t 1"]);
  watching.abort();
  await watched;
  // The feed delivered all of them again.
  expect(changes).toEqual(["s 1", "s 2", "s 3", "s null", "s 4"]);
});

test("a bucket that was replaced replaces the copy", async () => {
  const namespace = await createNamespace();
  await using index = await open(namespace);
  for (const session of ["a", "b", "c"]) await index.put(indexRow(session, { last: 9 }));
  await waitForIndex(index, ["a 9", "b 9", "c 9"]);
  const connection = await bench.connect();
  await (await jetstreamManager(connection)).streams.delete(`KV_${namespace}_sessions`);
  expect(await createIndexBuckets(connection, { namespace, replicas: 1 })).toEqual({
    created: [`${namespace}_sessions`],
    kept: [`${namespace}_names`],
  });
  await using other = await open(namespace);
  await other.put(indexRow("b", { last: 1 }));
  await waitForIndex(index, ["b 1"]);
});
