import { interceptRequests, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { PermissionViolationError, type NatsConnection, type Status } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const batchOf = (first: number, text = "a") => ({
  session: "s",
  epoch: 1,
  first,
  events: [Buffer.from(text)],
  owner: "owner",
});

// Longer than a test may take, so that a call that uses it up fails the test.
const longTimeout = 60_000;

test("an abort ends a watch and a read while the servers are silent", async () => {
  const namespace = await bench.createNamespace(1);
  const silent: RequestInterceptor = async (subject, send) =>
    await (subject.includes("MSG.GET") ? new Promise(() => {}) : send());
  await using log = await bench.open(namespace, (connection) => interceptRequests(connection, silent), longTimeout);
  const watching = new AbortController();
  const next = log.watch("s", 0, watching.signal)[Symbol.asyncIterator]().next();
  watching.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  const reading = new AbortController();
  const read = Array.fromAsync(log.read("s", 0, { signal: reading.signal }));
  reading.abort();
  await expect(read).rejects.toBe(reading.signal.reason);
});

test("a claim whose connection is closed meanwhile is unavailable", async () => {
  const namespace = await bench.createNamespace(1);
  await using other = await bench.open(namespace);
  await other.claim("s", "other");
  const connection = await bench.connect();
  const closing: RequestInterceptor = async (subject, send) => {
    const reply = await send();
    if (subject.includes("MSG.GET")) await connection.close();
    return reply;
  };
  await using log = await bench.open(namespace, () => interceptRequests(connection, closing));
  await expect(log.claim("s", "owner")).rejects.toMatchObject({ code: "unavailable" });
});

test("says at once that a stream is missing", async () => {
  const namespace = await bench.createNamespace(1);
  await using log = await bench.open(namespace, (connection) => connection, longTimeout);
  const { fence } = await log.claim("s", "owner");
  await (await jetstreamManager(await bench.connect())).streams.delete(`${namespace}-log-0`);
  for (const call of [log.tail("s"), log.append(batchOf(1), fence)])
    await expect(call).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("not found") as string,
    });
});

test("names the stream that has no number of streams", async () => {
  const management = await jetstreamManager(await bench.connect());
  await management.streams.add({ name: "foreign-log-0", subjects: ["foreign.log.0.*"] });
  const message = expect.stringContaining("foreign-log-0 was not created for a log") as string;
  await expect(bench.open("foreign")).rejects.toMatchObject({ code: "invalid-settings", message });
});

/** Drops direct reads and reports that they are not permitted, as the client does. */
function denyDirectReads(connection: NatsConnection): NatsConnection {
  const { promise: denied, resolve: deny } = Promise.withResolvers<string>();
  async function* statuses(): AsyncGenerator<Status> {
    const subject = await denied;
    yield { type: "error", error: new PermissionViolationError("Permissions Violation", "publish", subject) };
  }
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "status") return statuses;
      if (typeof value !== "function") return value;
      if (name !== "publish") return value.bind(target) as unknown;
      return (subject: string, ...rest: never[]) =>
        subject.startsWith("$JS.API.DIRECT.") ? deny(subject) : target.publish(subject, ...rest);
    },
  });
}

test("says at once that direct reads are not permitted", async () => {
  const namespace = await bench.createNamespace(1);
  await using log = await bench.open(namespace);
  await log.append(batchOf(1), (await log.claim("s", "owner")).fence);
  await using denied = await bench.open(namespace, denyDirectReads, longTimeout);
  const message = expect.stringContaining("Permissions Violation") as string;
  await expect(Array.fromAsync(denied.read("s", 0))).rejects.toMatchObject({ code: "unavailable", message });
});

test("names the limit that a stream has reached", async () => {
  const namespace = await bench.createNamespace(1);
  await using log = await bench.open(namespace, (connection) => connection, 200);
  const fence = await log.append(batchOf(1), (await log.claim("s", "owner")).fence);
  await (await jetstreamManager(await bench.connect())).streams.update(`${namespace}-log-0`, { max_bytes: 100 });
  const message = expect.stringContaining("raise the limit") as string;
  await expect(log.forget("s", fence)).rejects.toMatchObject({ code: "unavailable", message });
});
