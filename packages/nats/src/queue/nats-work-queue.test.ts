import type { OpenedEngine } from "@fairlead/engine/conformance";
import { workQueueConformance } from "@fairlead/engine/conformance";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterAll, beforeAll } from "vitest";
import { createQueueStreams } from "./create-queue-streams.ts";
import { NatsWorkQueue } from "./nats-work-queue.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const namespaces = new WeakMap<object, string>();
let count = 0;

async function open(namespace: string): Promise<OpenedEngine<"queue">> {
  const connection = await bench.connect();
  const queue = new NatsWorkQueue({ connection, namespace, lease: 3_000 });
  const engine = {
    queue,
    [Symbol.asyncDispose]: async () => {
      await queue[Symbol.asyncDispose]();
      await connection.close();
    },
  };
  namespaces.set(engine, namespace);
  return engine;
}

workQueueConformance(
  "NATS",
  async () => {
    const namespace = `queue-${count++}`;
    const connection = await bench.connect();
    await createQueueStreams(connection, { namespace, replicas: 1 });
    await connection.close();
    return await open(namespace);
  },
  (engine) => open(namespaces.get(engine) ?? ""),
);
