import { busConformance, type OpenedEngine } from "@fairlead/engine/conformance";
import { afterAll, beforeAll } from "vitest";
import { NatsBusBench } from "./nats-bus-bench.ts";

/** Registers the suite of buses on NATS servers. Each test gets its own namespace, and each engine its own connection. */
export function testBusOnServers(nodes: 1 | 3): void {
  let bench: NatsBusBench;
  beforeAll(async () => {
    bench = await NatsBusBench.start(nodes);
  });
  afterAll(() => bench[Symbol.asyncDispose](), 60_000);
  const namespaces = new WeakMap<AsyncDisposable, string>();
  const open = async (namespace: string): Promise<OpenedEngine<"bus">> => {
    const opened = await bench.open(namespace);
    namespaces.set(opened, namespace);
    return opened;
  };
  busConformance(
    `NATS on ${nodes === 1 ? "one server" : "three servers"}`,
    async () => await open(bench.createNamespace()),
    async (engine) => await open(namespaces.get(engine) ?? ""),
  );
}
