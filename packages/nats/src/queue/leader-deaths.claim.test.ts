import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueueStreams } from "./create-queue-streams.ts";
import { NatsWorkQueue } from "./nats-work-queue.ts";
import { QueueLayout } from "./queue-layout.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(3);
}, 60_000);
// Three servers need some time to remove their stores.
afterAll(() => bench[Symbol.asyncDispose](), 60_000);

test("no job is lost or ended twice while the leaders of both streams are killed in turn", async () => {
  const namespace = "queue";
  const layout = new QueueLayout(namespace);
  await createQueueStreams(await bench.connect(), { namespace, replicas: 3 });
  const open = async (): Promise<NatsWorkQueue> =>
    new NatsWorkQueue({ connection: await bench.connect(), namespace, lease: 20_000, timeout: 60_000 });
  const [gateway, host, otherHost] = [await open(), await open(), await open()];
  const signal = AbortSignal.timeout(110_000);
  const stop = new AbortController();
  const ended = new Map<string, number>();
  const runTaker = async (queue: NatsWorkQueue): Promise<void> => {
    for await (const ticket of queue.take("pool", stop.signal)) {
      await ticket.done(ticket.key);
      ended.set(ticket.key, (ended.get(ticket.key) ?? 0) + 1);
    }
  };
  const takers = [host, otherHost].flatMap((queue) => [1, 2, 3].map(() => runTaker(queue)));
  const outcomes: Promise<unknown>[] = [];
  const over = new AbortController();
  const runGateway = async (): Promise<void> => {
    for (let n = 0; !over.signal.aborted; n++) {
      const outcome = gateway.put("pool", { kind: "test", params: n }, `${n}`, signal);
      outcomes.push(outcome);
      await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 200))]);
    }
  };
  const running = runGateway();
  for (const stream of [layout.outcomes, layout.jobs, layout.outcomes]) {
    const before = ended.size;
    const leader = await bench.cluster.findLeader(stream);
    await bench.cluster.kill(leader);
    // The others elect a leader and continue.
    await expect.poll(() => ended.size, { timeout: 60_000 }).toBeGreaterThan(before + 10);
    bench.cluster.restart(leader);
    await bench.cluster.waitUntilReady();
  }
  over.abort();
  await running;
  expect(await Promise.all(outcomes)).toEqual(outcomes.map((_, n) => `${n}`));
  stop.abort();
  await Promise.all(takers);
  expect([...ended.values()].filter((times) => times !== 1)).toEqual([]);
  expect(ended.size).toBe(outcomes.length);
});
