import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { NatsCluster } from "./nats-cluster.ts";

/** Connects to one node only. */
async function connectTo(cluster: NatsCluster, node: number): Promise<NatsConnection> {
  const servers = cluster.servers[node] ?? "";
  return await connect({ servers, ...cluster.application, ignoreClusterUpdates: true, timeout: 1000 });
}

test("cuts the leader of a stream off, from its peers and from all", async () => {
  await using cluster = await NatsCluster.startInNamespaces({ nodes: 3 });
  const leader = await startStream(cluster);
  const publish = async (connection: NatsConnection): Promise<number> =>
    (await jetstream(connection, { timeout: 2000 }).publish("cut.one", "text")).seq;

  // The connection of a client outlives the cut from the peers, and the node does not acknowledge without a majority.
  await using client = await connectTo(cluster, leader);
  expect(await publish(client)).toBe(1);
  await cluster.partition(leader, "peers");
  await client.flush();
  await expect(publish(client)).rejects.toThrow();
  const next = await findOtherLeader(cluster, leader);
  await using other = await connectTo(cluster, next);
  expect(await publish(other)).toBeGreaterThan(1);
  await cluster.heal(leader);
  await cluster.waitUntilReady();

  await cluster.partition(next, "all");
  await expect(connectTo(cluster, next)).rejects.toThrow();
  await findOtherLeader(cluster, next);
  await cluster.heal(next);
  await cluster.waitUntilReady();
});

async function startStream(cluster: NatsCluster): Promise<number> {
  await using connection = await connectTo(cluster, 0);
  const { streams } = await jetstreamManager(connection);
  await streams.add({ name: "cut", subjects: ["cut.>"], num_replicas: 3 });
  return await cluster.findLeader("cut");
}

async function findOtherLeader(cluster: NatsCluster, old: number): Promise<number> {
  for (;;) {
    const leader = await cluster.findLeader("cut");
    if (leader !== old) return leader;
  }
}
