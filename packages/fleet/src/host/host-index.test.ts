import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteIndex, type SessionIndex, type SessionRow } from "@fairlead/journal";
import { expect, onTestFinished, test } from "vitest";
import { HostIndex } from "./host-index.ts";

const row = (session: string, owner: string): SessionRow => ({
  session,
  epoch: 1,
  last: 3,
  owner,
  state: "idle",
  unfinished: true,
  name: null,
  agent: "scripted",
  workspace: "/srv/w",
  continues: null,
  agentSessionId: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  lastAt: "2026-01-01T00:00:00.000Z",
  content: "{}",
});

/** Opens empty indexes in one folder. */
function createOpener(): (name: string) => Promise<SessionIndex> {
  const folder = mkdtempSync(join(tmpdir(), "index-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return async (name) => {
    const index = await openSqliteIndex({ file: join(folder, name), contentVersion: 1 });
    onTestFinished(() => index[Symbol.asyncDispose]());
    return index;
  };
}

test("a host that lost its index does not take the rows of the fleet for its own", async () => {
  const open = createOpener();
  const fleet = await open("fleet.db");
  const hosts = { isElsewhere: (owner: string) => owner === "other" };
  const before = new HostIndex({ local: await open("before.db"), fleet, hosts });
  await before.put(row("own", "this"));
  await fleet.put(row("foreign", "other"));
  expect(await before.get("own")).toMatchObject({ session: "own" });

  const after = new HostIndex({ local: await open("after.db"), fleet, hosts });
  // Without a row, the session is read from the log again. Otherwise it would be in no list of this host, and not recovered.
  expect(await after.get("own")).toBeUndefined();
  expect(await after.get("foreign")).toMatchObject({ session: "foreign" });
  await after.put(row("own", "this"));
  expect((await after.page({ unfinished: true })).rows).toMatchObject([{ session: "own" }]);
});

test("a host removes its own row of a session that another host has, and not that of a session that came back", async () => {
  const open = createOpener();
  const local = await open("local.db");
  const fleet = await open("fleet.db");
  const index = new HostIndex({ local, fleet, hosts: { isElsewhere: (owner) => owner === "other" } });
  for (const session of ["moved", "back"]) await index.put(row(session, "this"));
  for (const session of ["moved", "back"]) await fleet.put({ ...row(session, "other"), epoch: 2 });
  await index.put({ ...row("back", "this"), epoch: 3 });
  for (const session of ["moved", "back"]) expect(await index.put({ ...row(session, "other"), epoch: 2 })).toBe(false);
  expect((await index.page({})).rows).toMatchObject([{ session: "back", epoch: 3 }]);
  expect(await index.get("moved")).toMatchObject({ owner: "other" });
  expect(await fleet.get("moved")).toMatchObject({ owner: "other" });
});
