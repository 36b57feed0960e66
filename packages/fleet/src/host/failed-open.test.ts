import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { FairleadError } from "@fairlead/contract";
import { openLocalEngine, type Engine } from "@fairlead/engine";
import { Home, projectionVersion } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { FleetFairlead } from "../gateway/fleet-fairlead.ts";
import { FleetHost } from "./fleet-host.ts";

test("a host that could not be opened takes no work", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"));
  const shared = join(folder, "shared");
  const workspace = join(folder, "w");
  for (const path of [shared, workspace]) mkdirSync(path);
  const engine = await openLocalEngine({
    journalFile: join(shared, "journal.db"),
    indexFile: join(shared, "index.db"),
    indexContentVersion: projectionVersion,
    tokensFile: join(shared, "tokens.json"),
    objectsFolder: join(shared, "objects"),
  });
  const takers: AbortSignal[] = [];
  const recovered = Promise.withResolvers<void>();
  const failing: Engine = {
    ...engine,
    queue: {
      put: (...values) => engine.queue.put(...values),
      take: (pool, signal) => {
        takers.push(signal);
        recovered.resolve();
        return engine.queue.take(pool, signal);
      },
    },
    bus: {
      call: (...values) => engine.bus.call(...values),
      publish: (...values) => engine.bus.publish(...values),
      subscribe: (...values) => engine.bus.subscribe(...values),
      // The servers fail when the host takes work already.
      serve: async () => {
        await recovered.promise;
        throw new FairleadError("unavailable", "The servers are away.");
      },
    },
  };
  const home = new Home(join(folder, "h"));
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  const openHost = (on: Engine): Promise<FleetHost> =>
    FleetHost.open({ engine: on, host: hostname(), pool: "default", max: 1, home, adapters, environment });
  await expect(openHost(failing)).rejects.toMatchObject({ message: "The servers are away." });
  expect(takers.map(({ aborted }) => aborted)).toEqual([true]);

  const host = await openHost(engine);
  const gateway = new FleetFairlead({ engine, adapters });
  const { session } = await gateway.start({ agent: "scripted", workspace });
  await gateway.stop(session);
  await gateway[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
