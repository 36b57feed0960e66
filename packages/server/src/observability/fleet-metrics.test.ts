import { mkdtempDisposableSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event } from "@fairlead/contract";
import { openLocalEngine } from "@fairlead/engine";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { FleetMetrics } from "./fleet-metrics.ts";
import { serveMetrics } from "./serve-metrics.ts";

const eventOf = (session: string, body: unknown): Event => ({ session, body }) as Event;

test("counts appends, memberships, servers and moves", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "metrics-"));
  await using local = await openLocalEngine({
    journalFile: join(folder.path, "journal.db"),
    indexFile: join(folder.path, "index.db"),
    indexContentVersion: 1,
    tokensFile: join(folder.path, "tokens.json"),
    objectsFolder: join(folder.path, "objects"),
  });
  const registry = new Registry();
  const metrics = new FleetMetrics(registry);
  const { log, hosts } = metrics.measure(local);
  expect(metrics.heartbeatAge).toBeUndefined();
  await using _membership = await hosts.join({ name: "a" });
  const { epoch, fence } = await log.claim("s", "o");
  const batch = { session: "s", epoch, first: 1, events: [Buffer.from("e")], owner: "o" };
  await log.append(batch, fence);
  await expect(log.append(batch, fence)).rejects.toMatchObject({ code: "fenced" });
  metrics.onServers("refused-append");
  metrics.onServers("reconnect");
  metrics.onFreeze();
  metrics.onRefusedMove();
  metrics.updateGauges({ places: { all: 5, taken: 2 }, hosts: { p: 3 }, queueWaiting: 4 });
  const text = await registry.metrics();
  for (const line of [
    'fairlead_appends_total{outcome="stored"} 1',
    'fairlead_appends_total{outcome="fenced"} 1',
    'fairlead_appends_total{outcome="failed"} 0',
    "fairlead_append_seconds_count 1",
    "fairlead_refused_appends_total 1",
    "fairlead_reconnects_total 1",
    "fairlead_freezes_total 1",
    'fairlead_moves_total{outcome="refused"} 1',
    'fairlead_host_places{kind="taken"} 2',
    'fairlead_hosts{pool="p"} 3',
    "fairlead_queue_waiting 4",
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(metrics.heartbeatAge).toBeLessThan(10);
  // The servers did not answer, and a gauge of an earlier time would be wrong.
  metrics.updateGauges({ hosts: { p: 0 } });
  const later = await registry.metrics();
  expect(later).toContain('\nfairlead_hosts{pool="p"} 0\n');
  expect(later).not.toMatch(/^fairlead_(queue_waiting|host_places)\b/m);
});

test("a process shows no gauge that it does not measure", async () => {
  const registry = new Registry();
  const metrics = new FleetMetrics(registry);
  const gauges = /^fairlead_(heartbeat_age_seconds|host_places|hosts|queue_waiting)\b/m;
  expect(await registry.metrics()).not.toMatch(gauges);
  metrics.updateGauges({});
  expect(await registry.metrics()).not.toMatch(gauges);
});

test("counts a session as moved that was another host's, and not one that this host resumes", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "metrics-"));
  await using local = await openLocalEngine({
    journalFile: join(folder.path, "journal.db"),
    indexFile: join(folder.path, "index.db"),
    indexContentVersion: 1,
    tokensFile: join(folder.path, "tokens.json"),
    objectsFolder: join(folder.path, "objects"),
  });
  const registry = new Registry();
  const metrics = new FleetMetrics(registry);
  const isElsewhere = (owner: string): boolean => owner === "other";
  const { log } = metrics.measure({ ...local, hosts: Object.assign(Object.create(local.hosts), { isElsewhere }) });
  const claimAs = async (session: string, owner: string): Promise<void> => {
    const { epoch, last, fence } = await log.tail(session);
    await log.append({ session, epoch: epoch + 1, first: last + 1, events: [], owner }, fence);
  };
  for (const [session, before] of [
    ["moved", "other"],
    ["lost", "other"],
    ["resumed", "earlier process"],
  ] as const) {
    const { epoch, fence } = await local.log.claim(session, before);
    const events = [Buffer.from("e")];
    await local.log.append({ session, epoch, first: 1, events, owner: before }, fence);
    await claimAs(session, "this process");
    // Both continue what the pause of a move has ended.
    metrics.onEvent(eventOf(session, { type: "session.paused", reason: "moved" }));
  }
  metrics.onEvent(eventOf("moved", { type: "session.resumed", outcome: "native" }));
  metrics.onEvent(eventOf("lost", { type: "session.ended", reason: "lost" }));
  metrics.onEvent(eventOf("resumed", { type: "session.resumed", outcome: "native" }));
  // It moved once.
  metrics.onEvent(eventOf("moved", { type: "session.paused", reason: "moved" }));
  await claimAs("moved", "next process");
  metrics.onEvent(eventOf("moved", { type: "session.resumed", outcome: "native" }));
  const text = await registry.metrics();
  expect(text).toContain('\nfairlead_moves_total{outcome="native"} 1\n');
  expect(text).toContain('\nfairlead_moves_total{outcome="ended"} 1\n');
});

test("serves metrics and probes on loopback only, and not under another name", async () => {
  let reason: string | undefined = "The host has not joined the fleet.";
  const options = { metrics: async () => "up 1\n", findReasonNotReady: () => reason, onError: () => {} };
  await using service = await serveMetrics({ ...options, listen: { host: "127.0.0.1", port: 0 } });
  const read = async (path: string, init?: RequestInit) => {
    const response = await fetch(service.url + path, init);
    return [response.status, await response.text()];
  };
  expect(await read("/livez")).toEqual([200, "ok\n"]);
  expect(await read("/readyz")).toEqual([503, "The host has not joined the fleet.\n"]);
  reason = undefined;
  expect(await read("/readyz")).toEqual([200, "ok\n"]);
  expect(await read("/v1/metrics")).toEqual([200, "up 1\n"]);
  expect((await read("/v1/sessions"))[0]).toBe(404);
  expect((await read("/livez", { method: "POST" }))[0]).toBe(405);
  const status = await new Promise((resolve) => {
    request(`${service.url}/v1/metrics`, { headers: { host: "evil.example" } }, ({ statusCode }) =>
      resolve(statusCode),
    ).end();
  });
  expect(status).toBe(421);
  await expect(serveMetrics({ ...options, listen: { host: "0.0.0.0", port: 0 } })).rejects.toMatchObject({
    code: "invalid-settings",
  });
});
