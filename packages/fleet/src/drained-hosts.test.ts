import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { hostOf, type HostInfo } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import type { Session } from "@fairlead/runtime";
import { followTurns, followUntil, hello, MovableFleet } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";
import type { FleetHost } from "./host/fleet-host.ts";

test("a host that drains says so and takes no start, until the drain is undone", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, session, bench } = fleet;
  const [one] = fleet.hosts;
  await using engine = await bench.openEngine("watcher");
  const watching = new AbortController();
  const changes = engine.hosts.watch(watching.signal)[Symbol.asyncIterator]();
  const next = async (): Promise<HostInfo | null> => (await changes.next()).value?.host;
  expect(await next()).not.toHaveProperty("draining");

  await gateway.send(session, withScript("Slow.", [{ delay: 4000 }, { text: "Done." }]));
  await followUntil(gateway, session, ({ body }) => body.type === "turn.started" && body.input.startsWith("Slow."));
  const drained = one?.host.drain().catch((error: unknown) => error);
  expect(await next()).toMatchObject({ draining: true });
  const { workspace } = bench;
  const start = gateway.start({ agent: "scripted", mode: "full-auto", workspace, prompt: hello });
  expect(one?.host.sessionCount).toBe(1);

  await one?.host.undoDrain();
  expect(await drained).toMatchObject({ code: "conflict" });
  expect(await next()).not.toHaveProperty("draining");
  const started = await start;
  expect((await followTurns(gateway, started.session, 1)).at(-1)?.body).toMatchObject({ outcome: "completed" });
  await gateway.send(session, hello);
  const ends = (await followTurns(gateway, session, 3)).flatMap(({ body }) =>
    body.type === "turn.ended" ? [body.outcome] : [],
  );
  expect(ends).toEqual(["completed", "completed", "completed"]);
  expect(hostOf((await fleet.tail()).owner)).toBe("one");
  expect(bench.errors).toEqual([]);
  watching.abort();
});

test.each([
  ["an operator undoes", false, async (host: FleetHost) => await host.undoDrain()],
  ["a second signal ends", true, async (_: FleetHost, stop: AbortController) => stop.abort()],
])("a drain that %s stops no agent whose turn runs", async (_, isStopping, end) => {
  await using fleet = await MovableFleet.start();
  const { gateway, bench } = fleet;
  const driven: Session[] = [];
  const observer = { onEvent: () => {}, onDriven: (one: Session) => void driven.push(one) };
  const { host } = await fleet.openHost("two", { observer, pool: "other" });
  const prompt = withScript("Slow.", [{ delay: 3000 }, { text: "Done." }]);
  const { session } = await host.fairlead.start({ agent: "scripted", workspace: bench.workspace, prompt });
  await followUntil(gateway, session, ({ body }) => body.type === "turn.started");
  const stop = new AbortController();
  const drained = host.drain(isStopping ? stop.signal : undefined).catch(() => "ended");
  await expect.poll(() => driven[0]?.state.leaving, { timeout: 10_000 }).toBe(true);
  await end(host, stop);
  expect(await drained).toBe("ended");
  await followTurns(gateway, session, 1);
  await gateway.send(session, hello);
  const events = await followTurns(gateway, session, 2);
  expect(events.map(({ body }) => body.type)).not.toContain("session.paused");
  expect(bench.errors).toEqual([]);
});

test("a session without a message leaves with a host that is drained, and so does one that was paused before", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, bench } = fleet;
  const start = { agent: "scripted", mode: "full-auto", workspace: bench.workspace } as const;
  const { session: idle } = await gateway.start(start);
  const { session: paused } = await gateway.start(start);
  for (const one of [idle, paused]) await followUntil(gateway, one, ({ body }) => body.type === "session.changed");
  await gateway.pause(paused);
  await followUntil(gateway, paused, ({ body }) => body.type === "session.paused");
  await fleet.openHost("two");
  const [one] = fleet.hosts;
  const report = await one?.host.drain();
  expect(report).toMatchObject({ ended: [], left: [] });
  expect(new Set(report?.moved)).toEqual(new Set([fleet.session, idle]));
  await one?.close();
  await gateway.resume(paused);
  for (const moved of [idle, paused]) {
    await gateway.send(moved, hello);
    expect((await followTurns(gateway, moved, 1)).at(-1)?.body).toMatchObject({ outcome: "completed" });
  }
});

test("a session whose agent cannot be resumed stays on a host that is drained, and works on", async () => {
  const withoutResume = adapters.map((adapter) => {
    const capabilities = adapter.manifest.capabilities.filter((one) => one !== "resume");
    return { ...adapter, manifest: { ...adapter.manifest, capabilities } };
  });
  await using fleet = await MovableFleet.start();
  const { gateway, bench } = fleet;
  const three = await fleet.openHost("three", { adapters: withoutResume, pool: "other" });
  const { session } = await three.host.fairlead.start({ agent: "scripted", workspace: bench.workspace, prompt: hello });
  await followTurns(gateway, session, 1);
  await fleet.openHost("two", { pool: "other" });
  const reason = expect.stringContaining("cannot continue a conversation in another process") as string;
  expect(await three.host.drain()).toEqual({ moved: [], ended: [], left: [{ session, reason }] });
  await gateway.send(session, hello);
  expect((await followTurns(gateway, session, 2)).at(-1)?.body).toMatchObject({ outcome: "completed" });
});

test("a session whose workspace cannot be stored stays on a host that is drained, and moves with its files later", async () => {
  await using fleet = await MovableFleet.start({}, { isRepository: true });
  const { gateway, session, bench } = fleet;
  const two = await fleet.openHost("two");
  const [one] = fleet.hosts;
  const { workspace } = await gateway.session(session);
  const configure = (...args: readonly string[]): void =>
    void execFileSync("git", ["-C", join(bench.folder, "repository"), "config", ...args]);
  // It can be read, so that another host could restore an older snapshot.
  configure("receive.hideRefs", "refs/fairlead");
  await gateway.send(
    session,
    withScript("Write.", [{ tools: [{ name: "run", input: { command: "echo work > new" } }] }]),
  );
  await followTurns(gateway, session, 2);
  const reason = expect.stringContaining(`The workspace could not be stored for session ${session}`) as string;
  expect(await one?.host.drain()).toEqual({ moved: [], ended: [], left: [{ session, reason }] });
  expect(hostOf((await fleet.tail()).owner)).toBe("one");
  configure("--unset", "receive.hideRefs");
  // The process that failed to store the last turn is not the one that stores it.
  expect(await one?.host.drain()).toEqual({ moved: [session], ended: [], left: [] });
  await expect.poll(() => two.host.sessionCount, { timeout: 20_000 }).toBe(1);
  expect(readFileSync(join(workspace, "new"), "utf8")).toBe("work\n");
}, 120_000);

test("a host that has drained keeps no session that is resumed, continued or forked on it", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, bench, session: ended } = fleet;
  const { session: paused } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: hello });
  await followTurns(gateway, paused, 1);
  await gateway.pause(paused);
  await gateway.stop(ended);
  const one = fleet.hosts[0]!.host;
  await fleet.openHost("two");
  expect(await one.drain()).toEqual({ moved: [], ended: [], left: [] });
  await gateway.send(paused, hello);
  const { session: continued } = await gateway.resume(ended);
  const { session: forked } = await gateway.fork(ended, { outcome: "rebuilt" });
  await using engine = await bench.openEngine("watcher");
  const hostNow = async (session: string): Promise<string | undefined> =>
    hostOf((await engine.log.tail(session)).owner);
  for (const [session, turns] of [
    [paused, 2],
    [continued, 1],
    [forked, 1],
  ] as const) {
    await expect.poll(() => hostNow(session), { timeout: 20_000 }).toBe("two");
    if (session !== paused) await gateway.send(session, hello);
    expect((await followTurns(gateway, session, turns)).at(-1)?.body).toMatchObject({ outcome: "completed" });
  }
  expect(one.sessionCount).toBe(0);
  expect(bench.errors).toEqual([]);
}, 60_000);

test("a session that ended while no process drove it is not counted when its host drains, and takes no place", async () => {
  await using fleet = await MovableFleet.start();
  const { gateway, bench } = fleet;
  const driven: Session[] = [];
  const observer = { onEvent: () => {}, onDriven: (one: Session) => void driven.push(one) };
  const two = await fleet.openHost("two", { observer, pool: "other" });
  const start = { agent: "scripted", workspace: bench.workspace, prompt: hello };
  const { session } = await two.host.fairlead.start(start);
  await followTurns(gateway, session, 1);
  const { agentPid } = driven[0]!;
  await two.close();
  process.kill(agentPid!, "SIGKILL");
  const { host } = await fleet.openHost("two", { observer, pool: "other" });
  await host.fairlead.recovery;
  await followUntil(gateway, session, ({ body }) => body.type === "session.ended");
  // The gateway offers it to the pool, because its host was away for a moment.
  await expect.poll(() => host.sessionCount, { timeout: 10_000 }).toBe(0);
  expect(await host.drain()).toEqual({ moved: [], ended: [], left: [] });
});
