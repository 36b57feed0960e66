import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Engine } from "@fairlead/engine";
import { FleetFairlead, FleetHost } from "@fairlead/fleet";
import { FleetFile, initFleet, openNatsEngine } from "@fairlead/nats";
import { Home, projectionVersion } from "@fairlead/runtime";
import { ExampleServers, type ExampleUser } from "@fairlead/testing/nats/example-servers.ts";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { expect, test } from "vitest";

/** Sets a fleet up as a tenant does who follows docs/build/fleet-tenants.md. */
async function setUp(servers: ExampleServers, user: ExampleUser): Promise<void> {
  const fleet = FleetFile.parse({
    servers: servers.cluster.servers,
    login: { user, passwordVariable: "LOGIN" },
    system: { user: "checks", passwordVariable: "CHECKS" },
    tls: { ca: servers.authority.file },
  });
  const environment = { LOGIN: servers.passwordOf(user), CHECKS: servers.passwordOf("checks") };
  await initFleet({ fleet, folder: "/", environment });
}

/** Collects what the servers refuse a connection. */
function collectViolations(connection: NatsConnection, into: string[]): void {
  void (async () => {
    for await (const status of connection.status()) if (status.type === "error") into.push(status.error.message);
  })();
}

async function connectAs(servers: ExampleServers, user: ExampleUser): Promise<NatsConnection> {
  const { servers: addresses, password, tls } = servers.login(user);
  return await connect({ servers: [...addresses], user, pass: password ?? "", tls: tls ?? {} });
}

const namespace = "fairlead";
const indexContentVersion = projectionVersion;

test("a host and a gateway work with the permissions of the example, and can do no more", async () => {
  await using servers = await ExampleServers.start();
  for (const user of ["acme-setup", "globex-setup"] as const) await setUp(servers, user);
  using folder = mkdtempDisposableSync(join(tmpdir(), "ft-"));
  const workspace = join(folder.path, "w");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "a");
  const errors: unknown[] = [];
  const open = async (user: ExampleUser): Promise<Engine> =>
    await openNatsEngine({ connection: servers.login(user), namespace, host: user, indexContentVersion });
  await using hostEngine = await open("acme-host-1");
  await using host = await FleetHost.open({
    engine: hostEngine,
    host: "acme-host-1",
    pool: "default",
    max: 5,
    home: new Home(join(folder.path, "h")),
    adapters,
    fallback: "scripted",
    environment: { ...process.env, XDG_STATE_HOME: folder.path },
    onError: (error) => void errors.push(error),
  });
  await using gatewayEngine = await open("acme-gateway-1");
  await using gateway = new FleetFairlead({ engine: gatewayEngine, adapters });
  const { session } = await gateway.start({ agent: "scripted", workspace, name: "one" });
  await gateway.send(session, "hello");
  const seen: string[] = [];
  for await (const one of gateway.events(session, { follow: true })) {
    if (!("body" in one)) continue;
    seen.push(one.body.type);
    // The scripted agent asks before it runs a command.
    if (one.body.type === "decision.requested") break;
  }
  expect(seen).toContain("turn.started");
  expect((await gateway.sessions()).sessions).toMatchObject([{ session, name: "one" }]);
  await hostEngine.objects.put("memory/one", new Uint8Array(300_000));
  expect((await hostEngine.objects.get("memory/one"))?.length).toBe(300_000);
  await hostEngine.objects.remove("memory/one");
  await gateway.stop(session);
  await gateway.forget(session);
  expect((await gateway.sessions()).sessions).toEqual([]);
  expect(host.lost.aborted).toBe(false);
  expect(errors).toEqual([]);

  await using other = await openNatsEngine({
    connection: servers.login("globex-setup"),
    namespace,
    host: "globex",
    indexContentVersion,
  });
  expect((await other.index.page({})).rows).toEqual([]);

  const violations: string[] = [];
  await using bareGateway = await connectAs(servers, "acme-gateway-1");
  await using bareHost = await connectAs(servers, "acme-host-1");
  for (const connection of [bareGateway, bareHost]) collectViolations(connection, violations);
  for (const subject of ["fairlead.log.0.s", "fairlead.live.s", "$KV.fairlead_sessions.s", "$KV.fairlead_tokens.x"])
    bareGateway.publish(subject, "forged");
  const hostMayNot = [
    "fairlead.live.s",
    "$KV.fairlead_tokens.x",
    "$JS.API.STREAM.DELETE.fairlead-log-0",
    "$JS.API.STREAM.UPDATE.fairlead-log-0",
    "$JS.API.STREAM.SNAPSHOT.fairlead-log-0",
    "$JS.API.STREAM.PURGE.KV_fairlead_tokens",
    "$SYS.REQ.SERVER.PING.VARZ",
  ];
  for (const subject of hostMayNot) bareHost.publish(subject, "forged");
  await expect.poll(() => violations.length, { timeout: 10_000 }).toBe(4 + hostMayNot.length);
});
