import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import type { SessionIndex } from "@fairlead/journal";
import { sessionIndexConformance } from "@fairlead/journal/conformance";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll } from "vitest";
import { createIndexBuckets } from "./index-buckets.ts";
import { openNatsIndex } from "./open-nats-index.ts";

let bench: NatsLogBench;
let connections: readonly NatsConnection[];
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
  connections = [await bench.connect(), await bench.connect()];
});
afterAll(() => bench[Symbol.asyncDispose]());

const namespaces = new WeakMap<SessionIndex, string>();
let count = 0;

async function open(namespace: string, connection: number): Promise<SessionIndex> {
  const shared = connections[connection];
  if (shared === undefined) throw new Error("There is no connection.");
  const index = await openNatsIndex({ connection: shared, namespace, contentVersion: 1 });
  namespaces.set(index, namespace);
  return index;
}

sessionIndexConformance(
  "NATS",
  async () => {
    const namespace = `test-${count++}`;
    await createIndexBuckets(await bench.connect(), { namespace, replicas: 1 });
    return await open(namespace, 0);
  },
  (index) => open(namespaces.get(index) ?? "", 1),
);
