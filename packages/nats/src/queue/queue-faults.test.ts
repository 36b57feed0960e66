import type { Ticket } from "@fairlead/engine";
import { interceptRequests, refusal, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { TimeoutError, type NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createQueueStreams } from "./create-queue-streams.ts";
import { NatsWorkQueue } from "./nats-work-queue.ts";
import { QueueLayout } from "./queue-layout.ts";

const deadline = (): AbortSignal => AbortSignal.timeout(90_000);
const job = { kind: "test", params: null };

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

async function openQueue(
  namespace: string,
  wrap: (connection: NatsConnection) => NatsConnection = (connection) => connection,
): Promise<NatsWorkQueue> {
  return new NatsWorkQueue({ connection: wrap(await bench.connect()), namespace });
}

async function takeOne(queue: NatsWorkQueue, pool = "pool"): Promise<Ticket> {
  for await (const ticket of queue.take(pool, deadline())) return ticket;
  throw new Error("no job");
}

/** Ends every job with its key until the signal aborts. Counts the jobs in `ended`. */
async function endAll(queue: NatsWorkQueue, ended: string[], signal: AbortSignal): Promise<void> {
  for await (const ticket of queue.take("pool", signal)) {
    ended.push(ticket.key);
    await ticket.done(ticket.key);
  }
}

test("a lease that was extended too late is lost, as the job may have gone to another taker", async () => {
  const namespace = await createNamespace();
  const queue = new NatsWorkQueue({ connection: await bench.connect(), namespace, lease: 500 });
  const outcome = queue.put("pool", job, "k", deadline());
  const lost = await takeOne(queue);
  await delay(1.5 * lost.lease);
  await expect(lost.extend()).rejects.toMatchObject({ code: "conflict" });
  const next = await takeOne(queue);
  expect(next.attempt).toBe(2);
  await next.done("outcome");
  expect(await outcome).toBe("outcome");
});

test("takers and callers that wait survive a killed server", async () => {
  const namespace = await createNamespace();
  const [gateway, host] = [await openQueue(namespace), await openQueue(namespace)];
  const waiting = takeOne(host, "other");
  waiting.catch(() => {});
  const outcome = gateway.put("pool", job, "k", deadline());
  const ticket = await takeOne(host);
  for (const moment of ["first", "second"]) {
    await bench.cluster.kill(0);
    const whileDown = gateway.put("pool", job, moment, deadline());
    bench.cluster.restart(0);
    await bench.cluster.waitUntilReady();
    await ticket.extend();
    const late = await takeOne(host);
    expect(late).toMatchObject({ key: moment, attempt: 1 });
    await late.done(moment);
    expect(await whileDown).toBe(moment);
  }
  await ticket.done("k");
  expect(await outcome).toBe("k");
  const other = gateway.put("other", job, "other", deadline());
  await (await waiting).done("other");
  expect(await other).toBe("other");
});

test("a job whose caller ended before it was announced is announced by the next caller, as the first job", async () => {
  const namespace = await createNamespace();
  const layout = new QueueLayout(namespace);
  const dying = await openQueue(namespace, (connection) =>
    interceptRequests(connection, async (subject, send) => {
      return subject === layout.jobSubject("pool") ? await new Promise(() => {}) : await send();
    }),
  );
  const lost = dying.put("pool", { kind: "test", params: "first" }, "k", deadline());
  const { streams } = await jetstreamManager(await bench.connect());
  await expect.poll(async () => (await streams.info(layout.outcomes)).state.messages).toBe(1);
  await dying[Symbol.asyncDispose]();
  await expect(lost).rejects.toMatchObject({ code: "unavailable" });
  expect((await streams.info(layout.jobs)).state.messages).toBe(0);
  const queue = await openQueue(namespace);
  const outcome = queue.put("another pool", { kind: "test", params: "second" }, "k", deadline());
  const ticket = await takeOne(queue);
  expect(ticket.job.params).toBe("first");
  await ticket.done("outcome");
  expect(await outcome).toBe("outcome");
});

test("a job that was announced several times is yielded once", async () => {
  const namespace = await createNamespace();
  const queue = await openQueue(namespace);
  const connection = await bench.connect();
  const outcome = queue.put("pool", job, "k", deadline());
  const { streams } = await jetstreamManager(connection);
  const layout = new QueueLayout(namespace);
  await expect.poll(async () => (await streams.info(layout.jobs)).state.messages).toBe(1);
  const announce = (): Promise<unknown> => connection.request(layout.jobSubject("pool"), JSON.stringify("k"));
  await announce();
  const ticket = await takeOne(queue);
  await announce();
  const next = takeOne(queue);
  // The taker drops the other two.
  await expect.poll(async () => (await streams.info(layout.jobs)).state.messages).toBe(1);
  await ticket.done("outcome");
  expect(await outcome).toBe("outcome");
  await announce();
  void queue.put("pool", job, "next", deadline()).catch(() => {});
  expect((await next).key).toBe("next");
});

test("a taker that is slower than its lease does not take the job from the next taker", async () => {
  const namespace = await createNamespace();
  const layout = new QueueLayout(namespace);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { promise: isReading, resolve: reading } = Promise.withResolvers<void>();
  const slow = await openQueue(namespace, (connection) =>
    interceptRequests(connection, async (subject, send) => {
      if (!subject.endsWith(`MSG.GET.${layout.outcomes}`)) return await send();
      reading();
      await isReleased;
      return await send();
    }),
  );
  const queue = new NatsWorkQueue({ connection: await bench.connect(), namespace, lease: 1_000 });
  await queue.take("pool", AbortSignal.timeout(1_000)).next(); // creates the consumer, with its lease
  const outcome = queue.put("pool", job, "k", deadline());
  const late = takeOne(slow);
  await isReading;
  const ticket = await takeOne(queue);
  expect(ticket.attempt).toBe(1); // the slow taker has never had it
  release();
  for (let n = 0; n < 8; n++) {
    await delay(250);
    await ticket.extend();
  }
  await ticket.done("outcome");
  expect(await outcome).toBe("outcome");
  void queue.put("pool", job, "next", deadline()).catch(() => {});
  expect((await late).key).toBe("next");
});

test("refusals and lost answers neither lose a job nor double one", async () => {
  const namespace = await createNamespace();
  const layout = new QueueLayout(namespace);
  let requests = 0;
  const isStored = (subject: string): boolean =>
    [layout.allOutcomes, layout.allJobs].some((all) => subject.startsWith(all.slice(0, -1)));
  const faults: RequestInterceptor = async (subject, send) => {
    if (!isStored(subject)) return await send();
    const fault = requests++ % 7;
    // A server refuses valid messages at times.
    if (fault === 1) return refusal(10164);
    if (fault === 3) throw new TimeoutError();
    const reply = await send();
    if (fault === 5) throw new TimeoutError();
    return reply;
  };
  const unsafe = (connection: NatsConnection): NatsConnection => interceptRequests(connection, faults);
  const [gateway, host] = [await openQueue(namespace, unsafe), await openQueue(namespace, unsafe)];
  const keys = Array.from({ length: 60 }, (_, n) => `${n}`);
  const stop = new AbortController();
  const ended: string[] = [];
  const takers = [1, 2, 3].map(() => endAll(host, ended, stop.signal));
  const puts = keys.flatMap((key) => [1, 2].map(() => gateway.put("pool", job, key, deadline())));
  expect(await Promise.all(puts)).toEqual(keys.flatMap((key) => [key, key]));
  stop.abort();
  await Promise.all(takers);
  expect(ended.toSorted()).toEqual(keys.toSorted());
  expect(requests).toBeGreaterThan(200);
});

test("20 takers end 2,000 jobs, each once", async () => {
  const namespace = await createNamespace();
  const gateway = await openQueue(namespace);
  const keys = Array.from({ length: 2_000 }, (_, n) => `${n}`);
  const stop = new AbortController();
  const ended: string[] = [];
  const hosts = await Promise.all([1, 2, 3, 4].map(() => openQueue(namespace)));
  const takers = hosts.flatMap((host) => [1, 2, 3, 4, 5].map(() => endAll(host, ended, stop.signal)));
  expect(await Promise.all(keys.map((key) => gateway.put("pool", job, key, deadline())))).toEqual(keys);
  stop.abort();
  await Promise.all(takers);
  expect(ended.toSorted()).toEqual(keys.toSorted());
  const { streams } = await jetstreamManager(await bench.connect());
  const layout = new QueueLayout(namespace);
  await expect.poll(async () => (await streams.info(layout.jobs)).state.messages).toBe(0);
});

test("only outcomes have a lifetime, of more than a week", async () => {
  const namespace = await createNamespace();
  const queue = await openQueue(namespace);
  const layout = new QueueLayout(namespace);
  const { streams } = await jetstreamManager(await bench.connect());
  const lifetimeOf = async (key: string): Promise<string | undefined> => {
    const message = await streams.getMessage(layout.outcomes, { last_by_subj: layout.outcomeSubject(key) });
    return message?.header?.get("Nats-TTL");
  };
  const outcome = queue.put("pool", job, "k", deadline());
  const ticket = await takeOne(queue);
  expect(await lifetimeOf("k")).toBe("");
  await ticket.done(null);
  await outcome;
  expect(await lifetimeOf("k")).toBe(`${8 * 24 * 60 * 60}s`);
});

test("stores jobs and outcomes of several megabytes, and rejects larger ones", async () => {
  const namespace = await createNamespace();
  const queue = await openQueue(namespace);
  const large = "x".repeat(6 * 1024 ** 2);
  const outcome = queue.put("pool", { kind: "test", params: large }, "k", deadline());
  const ticket = await takeOne(queue);
  expect(ticket.job.params).toBe(large);
  const tooLarge = { code: "too-large" };
  await expect(ticket.done("x".repeat(8 * 1024 ** 2))).rejects.toMatchObject(tooLarge);
  await ticket.done(large);
  expect(await outcome).toBe(large);
  const params = "x".repeat(8 * 1024 ** 2);
  await expect(queue.put("pool", { kind: "test", params }, "l", deadline())).rejects.toMatchObject(tooLarge);
});

test("a taker of a missing queue throws instead of waiting", async () => {
  const queue = await openQueue("missing");
  await expect(takeOne(queue)).rejects.toMatchObject({ code: "unavailable" });
});

test("takers continue when the consumer of their pool was removed", async () => {
  const namespace = await createNamespace();
  const queue = await openQueue(namespace);
  const layout = new QueueLayout(namespace);
  const next = takeOne(queue);
  const { consumers } = await jetstreamManager(await bench.connect());
  const countWaiting = async (): Promise<number> =>
    await consumers.info(layout.jobs, layout.consumerOf("pool")).then(
      ({ num_waiting }) => num_waiting,
      () => 0,
    );
  await expect.poll(countWaiting).toBe(1);
  await consumers.delete(layout.jobs, layout.consumerOf("pool"));
  const outcome = queue.put("pool", job, "k", deadline());
  await (await next).done("outcome");
  expect(await outcome).toBe("outcome");
});

test("streams that exist with the same settings are kept, and others are refused", async () => {
  const namespace = await createNamespace();
  const connection = await bench.connect();
  const layout = new QueueLayout(namespace);
  const names = [layout.outcomes, layout.jobs];
  expect(await createQueueStreams(connection, { namespace, replicas: 1 })).toEqual({ created: [], kept: names });
  const { streams } = await jetstreamManager(connection);
  await streams.update(layout.outcomes, { max_bytes: 1_000_000_000 });
  expect((await createQueueStreams(connection, { namespace, replicas: 1 })).kept).toEqual(names);
  await streams.update(layout.outcomes, { max_msgs_per_subject: 5 });
  const differs = "max_msgs_per_subject 5 instead of 1";
  await expect(createQueueStreams(connection, { namespace, replicas: 1 })).rejects.toThrow(differs);
});
