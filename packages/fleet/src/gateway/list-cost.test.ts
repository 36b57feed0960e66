import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { openLocalEngine, type Hosts } from "@fairlead/engine";
import { Home, projectionVersion } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { FleetHost } from "../host/fleet-host.ts";
import { FleetFairlead } from "./fleet-fairlead.ts";

test("a list asks the servers about no host that is there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  const workspace = join(folder, "w");
  mkdirSync(workspace);
  const engine = await openLocalEngine({
    journalFile: join(folder, "journal.db"),
    indexFile: join(folder, "index.db"),
    indexContentVersion: projectionVersion,
    tokensFile: join(folder, "tokens.json"),
    objectsFolder: join(folder, "objects"),
  });
  let asked = 0;
  const hosts: Hosts = {
    join: (host) => engine.hosts.join(host),
    isAlive: async (owner) => {
      asked += 1;
      return await engine.hosts.isAlive(owner);
    },
    isElsewhere: (owner) => engine.hosts.isElsewhere(owner),
    poolOf: () => undefined,
    watch: (signal) => engine.hosts.watch(signal),
  };
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  const home = new Home(join(folder, "h"));
  const host = await FleetHost.open({ engine, host: hostname(), pool: "default", max: 9, home, adapters, environment });
  const gateway = new FleetFairlead({ engine: { ...engine, hosts }, adapters });
  const { session } = await gateway.start({ agent: "scripted", workspace });
  asked = 0;
  expect((await gateway.sessions()).sessions).toMatchObject([{ session, state: "idle" }]);
  expect((await gateway.health()).sessions.idle).toBe(1);
  expect(asked).toBe(0);

  await host[Symbol.asyncDispose]();
  expect((await gateway.sessions()).sessions).toMatchObject([{ session, state: "lost" }]);
  const again = await FleetHost.open({
    engine,
    host: hostname(),
    pool: "default",
    max: 9,
    home,
    adapters,
    environment,
  });
  await again.fairlead.recovery;
  await gateway.stop(session);
  for (const opened of [gateway, again, engine]) await opened[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
