import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import type { NatsAddresses } from "./nats-config.ts";
import type { NatsNetwork } from "./nats-network.ts";

/** All nodes listen on free ports of loopback. Links between them cannot be cut. */
export async function openLoopbackNetwork(nodeCount: number): Promise<NatsNetwork> {
  const ports = await findFreePorts(3 * nodeCount);
  const addresses = Array.from({ length: nodeCount }, (_, index): NatsAddresses => {
    const [client, peer, monitor] = ports.slice(3 * index).map((port) => `127.0.0.1:${port}`);
    return { client: client ?? "", peer: peer ?? "", monitor: monitor ?? "" };
  });
  const refuse = (): Promise<void> => Promise.reject(new Error("Only a cluster in namespaces can be partitioned."));
  return {
    addresses,
    prefixes: addresses.map(() => []),
    cut: refuse,
    heal: refuse,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Finds free ports. All are open at the same time, so that none is found twice. */
async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
