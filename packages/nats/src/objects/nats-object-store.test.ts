import { objectStoreConformance, type OpenedEngine } from "@fairlead/engine/conformance";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { afterAll, beforeAll } from "vitest";
import { createObjectStreams } from "./create-object-streams.ts";
import { NatsObjectStore } from "./nats-object-store.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

const namespaces = new WeakMap<object, string>();
let count = 0;

async function open(namespace: string): Promise<OpenedEngine<"objects">> {
  const connection = await bench.connect();
  const objects = new NatsObjectStore({ connection, namespace });
  const engine = {
    objects,
    [Symbol.asyncDispose]: async () => {
      await objects[Symbol.asyncDispose]();
      await connection.close();
    },
  };
  namespaces.set(engine, namespace);
  return engine;
}

objectStoreConformance(
  "NATS",
  async () => {
    const namespace = `objects-${count++}`;
    const connection = await bench.connect();
    await createObjectStreams(connection, { namespace, replicas: 1 });
    await connection.close();
    return await open(namespace);
  },
  (engine) => open(namespaces.get(engine) ?? ""),
);
