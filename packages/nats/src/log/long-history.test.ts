import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Journal } from "@fairlead/journal";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const eventsPerBatch = 20;

test("reads from any place of a history of 1,000, 10,000 and 100,000 events with as many messages", async () => {
  const connections: NatsConnection[] = [];
  const namespace = await bench.createNamespace(1);
  await using log = await bench.open(namespace, (connection) => {
    connections.push(connection);
    return connection;
  });
  const received = (): number => connections[0]?.stats().inMsgs ?? 0;
  // Another session grows between, not evenly, so that the place of an event cannot be computed exactly.
  const append = await claimAppender(log, "s");
  const appendNoise = await claimAppender(log, "noise");
  const costs: number[] = [];
  let last = 0;
  for (const length of [1_000, 10_000, 100_000]) {
    for (; last < length; last += eventsPerBatch) {
      await append();
      if (last < length / 10) await appendNoise();
    }
    const before = received();
    for (const after of [length - 5, Math.floor(length / 2), Math.floor(length / 17)]) {
      const batches = await Array.fromAsync(log.read("s", after, { limit: 5 }));
      const numbers = batches.flatMap(({ first, events }) => events.map((_, index) => first + index));
      expect(numbers).toEqual([1, 2, 3, 4, 5].map((n) => after + n));
    }
    const watcher = log.watch("s", length - 5, AbortSignal.timeout(20_000))[Symbol.asyncIterator]();
    expect((await watcher.next()).value).toMatchObject({ first: length - 4 });
    await watcher.return?.();
    costs.push(received() - before);
  }
  expect(Math.max(...costs)).toBeLessThan(400);
  expect(costs[2]).toBeLessThan(2 * (costs[0] ?? 0) + 100);
});

async function claimAppender(log: Journal, session: string): Promise<() => Promise<void>> {
  const { epoch, ...claim } = await log.claim(session, "owner");
  let { fence, last } = claim;
  const events = Array.from({ length: eventsPerBatch }, () => Buffer.from("event"));
  return async () => {
    fence = await log.append({ session, epoch, first: last + 1, events, owner: "owner" }, fence);
    last += eventsPerBatch;
  };
}
