import type { Journal } from "@fairlead/journal";
import { journalConformance } from "@fairlead/journal/conformance";
import { afterAll, beforeAll } from "vitest";
import { NatsLogBench } from "./nats-log-bench.ts";

/** Registers the suite of journals on NATS servers. Each test gets its own namespace with two streams. */
export function testLogOnServers(nodes: 1 | 3): void {
  let bench: NatsLogBench;
  beforeAll(async () => {
    bench = await NatsLogBench.start(nodes);
  });
  // Three servers with the streams of all tests need some time to remove their stores.
  afterAll(() => bench[Symbol.asyncDispose](), 60_000);
  const namespaces = new WeakMap<Journal, string>();
  const open = async (namespace: string): Promise<Journal> => {
    const log = await bench.open(namespace);
    namespaces.set(log, namespace);
    return log;
  };
  journalConformance(
    `NATS on ${nodes === 1 ? "one server" : "three servers"}`,
    async () => open(await bench.createNamespace()),
    (journal) => open(namespaces.get(journal) ?? ""),
  );
}
