import { followTurns, hello, MovableFleet } from "@fairlead/testing/fleet/movable-fleet.ts";
import { setTimeout as delay } from "node:timers/promises";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { expect, test } from "vitest";

test("a host that comes back does not bring a session back that was forgotten elsewhere", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await fleet.loseHost();
  await fleet.openHost("two");
  await gateway.send(session, hello);
  await followTurns(gateway, session, 2);
  await gateway.stop(session);
  await gateway.forget(session);
  const { host } = await fleet.openHost("one");
  expect(await host.fairlead.recovery).toEqual({ sessions: 0, failures: [] });
  expect((await host.fairlead.sessions()).sessions).toEqual([]);
  await using engine = await bench.openEngine("checker");
  expect(await engine.index.get(session)).toBeUndefined();
  await expect(gateway.session(session)).rejects.toMatchObject({ code: "session-not-found" });
});

test("a gateway removes rows of sessions that were forgotten", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await using engine = await bench.openEngine("checker");
  const row = await engine.index.get(session);
  await gateway.stop(session);
  await gateway.forget(session);
  if (row === undefined) throw new Error("The session has no row.");
  // As an earlier version has left them.
  for (const [name, state] of [
    ["touched", "ended"],
    ["listed", "damaged"],
  ] as const)
    await engine.index.put({ ...row, session: name, name, state, unfinished: false });
  await expect(gateway.session("touched")).rejects.toMatchObject({ code: "session-not-found" });
  expect(await engine.index.get("touched")).toBeUndefined();
  const other = await bench.openGateway();
  await expect.poll(async () => (await other.sessions()).sessions, { timeout: 30_000 }).toEqual([]);
});

test("an ended session whose host is lost can be forgotten, and does not come back with its host", async () => {
  await using fleet = await MovableFleet.start();
  const { session, bench } = fleet;
  const gateway = await bench.openGateway({ patience: 0 });
  const { session: open } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: hello });
  await followTurns(gateway, open, 1);
  await using engine = await bench.openEngine("checker");
  const listObjects = async (): Promise<readonly string[]> =>
    (await Array.fromAsync(engine.objects.list(""))).filter((key) => key.includes(session));
  expect(await listObjects()).not.toEqual([]);
  await gateway.stop(session);
  await fleet.loseHost();
  await expect(gateway.forget(open)).rejects.toMatchObject({ code: "conflict" });
  expect((await engine.log.tail(open)).last).toBeGreaterThan(0);
  await gateway.forget(session);
  expect((await engine.log.tail(session)).epoch).toBe(0);
  expect(await listObjects()).toEqual([]);
  expect((await gateway.sessions()).sessions).toMatchObject([{ session: open }]);
  const { host } = await fleet.openHost("one");
  await host.fairlead.recovery;
  expect((await host.fairlead.sessions()).sessions).toMatchObject([{ session: open }]);
  expect((await gateway.sessions()).sessions).toMatchObject([{ session: open }]);
});

test("a session that has not ended keeps its objects when a client tries to forget it", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  await using engine = await bench.openEngine("checker");
  const listObjects = (): Promise<readonly string[]> => Array.fromAsync(engine.objects.list(""));
  await expect.poll(async () => (await listObjects()).length, { timeout: 20_000 }).toBeGreaterThan(1);
  const before = await listObjects();
  await expect(gateway.forget(session)).rejects.toMatchObject({ code: "conflict" });
  expect(await listObjects()).toEqual(before);
});

test("a session that is forgotten right after its end leaves no objects, also if its image is stored late", async () => {
  await using bench = await FleetBench.start();
  await using engine = await bench.openEngine("one");
  const { objects, log } = engine;
  let session = "";
  let isSlow = false;
  const reached = Promise.withResolvers<void>();
  const stored: Promise<void>[] = [];
  const put = objects.put.bind(objects);
  const isForgotten = async (): Promise<boolean> => (await log.tail(session)).epoch === 0;
  const putLate = async (...values: Parameters<typeof put>): Promise<void> => {
    reached.resolve();
    for (let round = 0; round < 30 && !(await isForgotten()); round += 1) await delay(100);
    await put(...values);
  };
  objects.put = async (key, bytes) => {
    const storing = isSlow && key.startsWith("images/") ? putLate(key, bytes) : put(key, bytes);
    stored.push(storing);
    await storing;
  };
  const { host } = await bench.openHost("one", { engine });
  const gateway = await bench.openGateway();
  ({ session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: hello }));
  await followTurns(gateway, session, 1);
  isSlow = true;
  await gateway.send(session, hello);
  await reached.promise;
  await gateway.stop(session);
  await expect.poll(() => host.sessionCount, { timeout: 20_000 }).toBe(0);
  await gateway.forget(session);
  await Promise.all(stored);
  const keys = await Array.fromAsync(objects.list(""));
  expect(keys.filter((key) => key.includes(session))).toEqual([]);
});
