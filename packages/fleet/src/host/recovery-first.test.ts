import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { openLocalEngine } from "@fairlead/engine";
import { Home, projectionVersion } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { FleetFairlead } from "../gateway/fleet-fairlead.ts";
import { FleetHost } from "./fleet-host.ts";

test("a host that restarts takes no work for the places of sessions that it is still recovering", async () => {
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
  const home = new Home(join(folder, "h"));
  const environment = { ...process.env, XDG_STATE_HOME: folder };
  const openHost = (): Promise<FleetHost> =>
    FleetHost.open({ engine, host: hostname(), pool: "default", max: 1, home, adapters, environment });
  const gateway = new FleetFairlead({ engine, adapters, startTimeout: 4000 });
  const before = await openHost();
  const { session } = await gateway.start({ agent: "scripted", workspace });
  await before[Symbol.asyncDispose]();

  const waiting = gateway.start({ agent: "scripted", workspace }).catch((error: unknown) => error);
  const after = await openHost();
  await after.fairlead.recovery;
  expect(await waiting).toMatchObject({ code: "unavailable" });
  expect(after.sessionCount).toBe(1);

  // The place of the first session is taken when it is free.
  const next = gateway.start({ agent: "scripted", workspace });
  await gateway.stop(session);
  const second = await next;
  expect(after.sessionCount).toBe(1);
  await gateway.stop(second.session);
  await gateway[Symbol.asyncDispose]();
  await after[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
