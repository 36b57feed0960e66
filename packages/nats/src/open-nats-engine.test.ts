import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { expect, test } from "vitest";
import { createFleetStorage } from "./cluster/create-fleet-storage.ts";
import { connectToNats } from "./connect-to-nats.ts";
import { openNatsEngine } from "./open-nats-engine.ts";

test("an engine that checks no tokens does not ask the servers for them", async () => {
  await using cluster = await NatsCluster.start({ nodes: 1 });
  const { servers, application } = cluster;
  const connection = { servers, user: application.user, password: application.pass };
  await using observer = await connectToNats({ ...connection, name: "observer" });
  for (const namespace of ["gateway", "host"])
    await createFleetStorage(observer, { namespace, replicas: 1, streams: 1 });
  const counts = new Map<string, number>();
  const prefix = "$JS.API.STREAM.INFO.KV_";
  observer.subscribe(`$JS.API.STREAM.INFO.*`, {
    callback: (_, { subject }) => {
      const stream = subject.slice(prefix.length);
      counts.set(stream, (counts.get(stream) ?? 0) + 1);
    },
  });
  await observer.flush();
  const common = { connection, indexContentVersion: 1 };
  await using host = await openNatsEngine({ ...common, namespace: "host", host: "h", checksTokens: false });
  await using _gateway = await openNatsEngine({ ...common, namespace: "gateway", host: "gateway" });
  await expect.poll(() => counts.get("gateway_tokens"), { timeout: 60_000 }).toBeGreaterThan(4);
  expect(counts.get("host_tokens")).toBe(1);
  expect(await host.tokens.remove("a")).toBe(0);
});
