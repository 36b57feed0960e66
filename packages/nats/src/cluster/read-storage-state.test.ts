import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { expect, test } from "vitest";
import { connectToNats } from "../connect-to-nats.ts";
import { openNatsEngine } from "../open-nats-engine.ts";
import { createFleetStorage } from "./create-fleet-storage.ts";
import { FleetFile } from "./fleet-file.ts";
import { readStorageState } from "./read-storage-state.ts";

test("counts the streams, jobs and gateways of one fleet, and not those of others", async () => {
  await using cluster = await NatsCluster.start({ nodes: 1 });
  const { servers, application, system } = cluster;
  const connection = { servers, user: application.user, password: application.pass };
  await using plain = await connectToNats({ ...connection, name: "fairlead" });
  for (const namespace of ["a", "a-log-1", "a_x"])
    await createFleetStorage(plain, { namespace, replicas: 1, streams: 2 });
  const open = (namespace: string, host: string): ReturnType<typeof openNatsEngine> =>
    openNatsEngine({ connection, namespace, host, indexContentVersion: 1 });
  await using gateway = await open("a", "gateway");
  await using _second = await open("a", "gateway");
  await using _host = await open("a", "h1");
  await using _other = await open("a_x", "gateway");
  // Of another account.
  await using _foreign = await connectToNats({
    servers,
    user: system.user,
    password: system.pass,
    name: "fairlead a gateway",
  });

  const fleet = FleetFile.parse({
    servers,
    namespace: "a",
    login: { user: application.user, passwordVariable: "LOGIN" },
    system: { user: system.user, passwordVariable: "SYSTEM" },
  });
  const source = { fleet, folder: "/", environment: { LOGIN: application.pass, SYSTEM: system.pass } };
  const waiting = new AbortController();
  const put = gateway.queue.put("p", { kind: "start", params: {} }, "k", waiting.signal).catch(() => {});
  await expect.poll(() => gateway.queue.countOpen?.(), { timeout: 60_000 }).toBe(1);
  const state = await readStorageState(source);
  expect(state.streams.map(({ name }) => name)).toEqual([
    "KV_a_hosts",
    "KV_a_names",
    "KV_a_sessions",
    "KV_a_tokens",
    "a-log-0",
    "a-log-1",
    "a_CHUNKS",
    "a_JOBS",
    "a_OBJECTS",
    "a_OUTCOMES",
  ]);
  expect(state).toMatchObject({ gateways: 2, queuedJobs: 1 });

  const { system: _, ...withoutSystem } = fleet;
  const unasked = await readStorageState({ ...source, fleet: withoutSystem });
  expect(unasked).toMatchObject({ gateways: undefined, cluster: undefined, queuedJobs: 1 });
  waiting.abort();
  await put;
});
