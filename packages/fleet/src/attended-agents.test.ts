import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { followUntil } from "@fairlead/testing/fleet/movable-fleet.ts";
import { expect, test } from "vitest";

const hello = withScript("Say.", [{ text: "Hello." }]);
/** The agent writes all the time. */
const busy = withScript("Write.", [{ flood: { lines: 1_000_000, rate: 20 } }]);

/** The states of an agent's processes, as in /proc/<pid>/stat, by pid. They have the session in their environment. */
function readAgentStates(session: string): Map<number, string> {
  const states = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, "latin1").includes(`FAIRLEAD_SESSION=${session}\0`)) continue;
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      states.set(Number(name), stat.charAt(stat.lastIndexOf(")") + 2));
    } catch {
      continue; // it has ended
    }
  }
  return states;
}

const isFrozen = (session: string): boolean => {
  const states = [...readAgentStates(session).values()];
  return states.length > 0 && states.every((state) => "TtD".includes(state));
};

test("a host that is cut off freezes its agents, continues them when it is back in time, and else ends them", async () => {
  await using bench = await FleetBench.start();
  let freezes = 0;
  const onFreeze = (): void => void (freezes += 1);
  const { host } = await bench.openHost("one", { freezeAfter: 7000, endAfter: 12_000, onFreeze });
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: busy });
  await followUntil(gateway, session, ({ body }) => body.type === "turn.started");
  const pids = [...readAgentStates(session).keys()];
  expect(pids.length).toBeGreaterThan(0);
  // Longer than a host is cut off in the next step.
  await delay(8000);
  expect(isFrozen(session)).toBe(false);

  await bench.cluster.kill(0);
  const cutOffAt = performance.now();
  await waitFor(() => isFrozen(session), 10_000);
  expect(performance.now() - cutOffAt).toBeLessThan(7500);
  bench.cluster.restart(0);
  await bench.cluster.waitUntilReady();
  await waitFor(() => !isFrozen(session), 4000);
  expect([...readAgentStates(session).keys()]).toEqual(expect.arrayContaining(pids));
  expect(freezes).toBeGreaterThan(0);

  await bench.cluster.kill(0);
  const secondCutAt = performance.now();
  await waitFor(() => readAgentStates(session).size === 0, 15_000);
  expect(performance.now() - secondCutAt).toBeLessThan(12_500);
  bench.cluster.restart(0);
  await bench.cluster.waitUntilReady();
  const events = await followUntil(gateway, session, ({ body }) => body.type === "session.paused");
  expect(events.at(-1)?.body).toEqual({ type: "session.paused", reason: "moved" });
  expect(events.findLast(({ body }) => body.type === "turn.ended")?.body).toMatchObject({ outcome: "failed" });
  expect(host.lost.aborted).toBe(false);
});

test("an upgrade announces an absence: the agent continues, nothing moves, and the next process drives it", async () => {
  await using bench = await FleetBench.start();
  const one = await bench.openHost("one", { freezeAfter: 4000, endAfter: 6000 });
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: busy });
  await followUntil(gateway, session, ({ body }) => body.type === "turn.started");
  const engine = await bench.openEngine("checker");
  const { owner, epoch } = await engine.log.tail(session);
  await one.host.announceAbsence(60_000);
  await one.host[Symbol.asyncDispose]();
  const two = await bench.openHost("two");
  const pids = [...readAgentStates(session).keys()];
  // Longer than agents of a host that died would continue.
  await delay(8000);
  expect(two.host.sessionCount).toBe(0);
  expect(isFrozen(session)).toBe(false);
  expect([...readAgentStates(session).keys()]).toEqual(pids);
  expect(await engine.hosts.isAlive(owner)).toBe(true);
  expect(await engine.log.tail(session)).toMatchObject({ owner, epoch });
  const impatient = await bench.openGateway({ patience: 0 });
  await expect(impatient.send(session, hello)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("Its host one does not answer"),
  });

  const again = await bench.openHost("one", { freezeAfter: 4000, endAfter: 6000 });
  await again.host.fairlead.recovery;
  await expect.poll(() => engine.hosts.isAlive(owner), { timeout: 20_000 }).toBe(false);
  expect([...readAgentStates(session).keys()]).toEqual(pids);
  expect(await engine.log.tail(session)).toMatchObject({ epoch: epoch + 1 });
  await gateway.interrupt(session);
  await gateway.send(session, hello);
  const turnEnds = await followUntil(gateway, session, countTurns(2));
  expect(turnEnds.map(({ body }) => body.type)).not.toContain("session.paused");

  // What the earlier process announced ends with the next one, which dies.
  await gateway.send(session, busy);
  await again.host[Symbol.asyncDispose]();
  await waitFor(() => isFrozen(session), 5000);
  await waitFor(() => readAgentStates(session).size === 0, 5000);
  await engine[Symbol.asyncDispose]();
});

test("agents of a host that does not come back end when its absence does, and the session moves then", async () => {
  await using bench = await FleetBench.start();
  const one = await bench.openHost("one");
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: hello });
  await followUntil(gateway, session, countTurns(1));
  await one.host.announceAbsence(4000);
  const announcedAt = performance.now();
  await one.host[Symbol.asyncDispose]();
  const two = await bench.openHost("two", { environment: { ...bench.environment, XDG_STATE_HOME: bench.folder } });
  await waitFor(() => readAgentStates(session).size === 0, 6000);
  expect(performance.now() - announcedAt).toBeGreaterThan(3500);
  expect(two.host.sessionCount).toBe(0);
  await followUntil(gateway, session, ({ body }) => body.type === "session.paused" && body.reason === "moved");
  expect(performance.now() - announcedAt).toBeGreaterThan(8000);
});

test("a host that leaves without an announcement counts as alive for longer than its agents", async () => {
  await using bench = await FleetBench.start();
  const one = await bench.openHost("one", { freezeAfter: 3000, endAfter: 5000 });
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace, prompt: busy });
  const engine = await bench.openEngine("checker");
  const { owner } = await engine.log.tail(session);
  await one.host[Symbol.asyncDispose]();
  await waitFor(() => readAgentStates(session).size === 0, 8000);
  expect(await engine.hosts.isAlive(owner)).toBe(true);
  await engine[Symbol.asyncDispose]();
});

async function waitFor(condition: () => boolean, timeout: number): Promise<void> {
  await expect.poll(condition, { interval: 20, timeout }).toBe(true);
}

function countTurns(count: number): (event: Event) => boolean {
  let ended = 0;
  return ({ body }) => body.type === "turn.ended" && (ended += 1) === count;
}
