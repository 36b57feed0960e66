import type { Ticket } from "@fairlead/engine";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { createInbox, type NatsConnection, type SubscriptionOptions } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueueStreams } from "./create-queue-streams.ts";
import { NatsWorkQueue } from "./nats-work-queue.ts";
import { QueueLayout } from "./queue-layout.ts";

const job = { kind: "test", params: null };
const conflict = { code: "conflict" };
const deadline = (): AbortSignal => AbortSignal.timeout(90_000);

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

let count = 0;
async function createNamespace(): Promise<string> {
  const namespace = `queue-${count++}`;
  await createQueueStreams(await bench.connect(), { namespace, replicas: 1 });
  return namespace;
}

async function takeOne(queue: NatsWorkQueue): Promise<Ticket> {
  for await (const ticket of queue.take("pool", deadline())) return ticket;
  throw new Error("no job");
}

/** Returns a connection whose subscriptions to some subjects get no message. */
function losing(connection: NatsConnection, isLost: (subject: string) => boolean): NatsConnection {
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "subscribe") return value.bind(target) as unknown;
      return (subject: string, options: SubscriptionOptions) =>
        target.subscribe(isLost(subject) ? createInbox() : subject, options);
    },
  });
}

test("a caller gets the outcome at once, and soon if its announcement is lost", async () => {
  const namespace = await createNamespace();
  const layout = new QueueLayout(namespace);
  const connection = await bench.connect();
  const queue = new NatsWorkQueue({ connection, namespace });
  const deaf = new NatsWorkQueue({
    connection: losing(connection, (one) => one === layout.changeSubject("k")),
    namespace,
  });
  const outcome = queue.put("pool", job, "k", deadline());
  const later = deaf.put("pool", job, "k", deadline());
  const ticket = await takeOne(queue);
  const start = performance.now();
  await ticket.done("outcome");
  expect(await outcome).toBe("outcome");
  // The record is read again after 10 seconds without an announcement.
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(await later).toBe("outcome");
});

test.for(["extends", "returns", "ends"] as const)(
  "a taker whose consumer was replaced neither extends, returns nor ends the job of the next taker: it %s it",
  async (action) => {
    const namespace = await createNamespace();
    const layout = new QueueLayout(namespace);
    const connection = await bench.connect();
    const queue = new NatsWorkQueue({ connection, namespace });
    const outcome = queue.put("pool", job, "k", deadline());
    const lost = await takeOne(queue);
    const { consumers } = await jetstreamManager(connection);
    await consumers.delete(layout.jobs, layout.consumerOf("pool"));
    const ticket = await takeOne(new NatsWorkQueue({ connection: await bench.connect(), namespace, lease: 2_000 }));
    // The first delivery of the new consumer may be one that the first taker knows, so the second one counts.
    expect(ticket).toMatchObject({ key: "k", attempt: 2 });
    if (action === "extends") await expect(lost.extend()).rejects.toMatchObject(conflict);
    else if (action === "ends") await expect(lost.done("lost")).rejects.toMatchObject(conflict);
    else await lost[Symbol.asyncDispose]();
    // If the job had been returned, it would come before this one.
    void queue.put("pool", job, "next", deadline()).catch(() => {});
    expect((await takeOne(queue)).key).toBe("next");
    await ticket.done("outcome");
    expect(await outcome).toBe("outcome");
  },
);
