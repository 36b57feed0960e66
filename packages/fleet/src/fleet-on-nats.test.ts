import { once } from "node:events";
import { SessionView } from "@fairlead/api";
import { FairleadError, type Delta, type Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { FleetBench } from "@fairlead/testing/fleet/fleet-bench.ts";
import { expect, test } from "vitest";
import type { FleetFairlead } from "./gateway/fleet-fairlead.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);

test("sessions of two hosts are started, listed, followed, led and stopped at any gateway", async () => {
  await using bench = await FleetBench.start();
  const { workspace } = bench;
  const one = await bench.openHost("one", { max: 1 });
  const two = await bench.openHost("two", { max: 1 });
  const [first, second] = [await bench.openGateway(), await bench.openGateway()];
  const a = SessionView.parse(await first.start({ agent: "scripted", workspace, name: "a", prompt: hello }));
  const b = SessionView.parse(await second.start({ agent: "scripted", workspace, name: "b", prompt: hello }));
  expect([one.host.sessionCount, two.host.sessionCount]).toEqual([1, 1]);
  for (const gateway of [first, second]) {
    // A row is in the copy of a gateway some milliseconds after its host has written it.
    const list = async (): Promise<string[]> =>
      (await gateway.sessions({ order: "session" })).sessions.map(({ session }) => session);
    await expect.poll(list, { timeout: 20_000 }).toEqual([a.session, b.session].toSorted());
    for (const name of ["a", "b"]) {
      const events = await followTurns(gateway, name, 1);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
      expect(events.at(-1)?.body).toMatchObject({ type: "turn.ended", outcome: "completed" });
    }
  }
  // A name is unique in the fleet, also on another host.
  await first.stop("b");
  await expect(second.start({ agent: "scripted", workspace, name: "a" })).rejects.toMatchObject({ code: "conflict" });
  await first.pause("a");
  expect(await second.session("a")).toMatchObject({ state: "paused" });
  await second.send("a", hello);
  await followTurns(first, "a", 2);
  expect(await second.stop("a")).toMatchObject({ state: "ended", turns: 2 });
  // An ended session has no host that drives it; its last host answers.
  expect(await first.session(a.session)).toMatchObject({ state: "ended" });
  const continued = await first.resume(a.session);
  expect(continued).toMatchObject({ continues: a.session, name: "a" });
  expect((await first.usage("a")).length).toBeGreaterThanOrEqual(0);
  expect((await first.agents()).some(({ agent }) => agent === "scripted")).toBe(true);
  await expect.poll(async () => (await first.health()).sessions.idle, { timeout: 20_000 }).toBe(1);
  expect(bench.errors).toEqual([]);
});

test("a host that restarts drives its sessions again, and another host leaves them alone", async () => {
  await using bench = await FleetBench.start();
  const { workspace } = bench;
  const one = await bench.openHost("one");
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace, prompt: hello });
  await followTurns(gateway, session, 1);
  await one.host.announceAbsence(60_000);
  await one.host[Symbol.asyncDispose]();
  const two = await bench.openHost("two");
  await two.host.fairlead.recovery;
  expect(two.host.sessionCount).toBe(0);
  await expect(
    bench.openGateway({ patience: 0 }).then((impatient) => impatient.send(session, hello)),
  ).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("Its host one does not answer"),
  });
  const again = await bench.openHost("one");
  await again.host.fairlead.recovery;
  expect(again.host.sessionCount).toBe(1);
  await gateway.send(session, hello);
  const events = await followTurns(gateway, session, 2);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
});

test("a repeated key starts one session and sends one message, at any gateway", async () => {
  await using bench = await FleetBench.start();
  const { workspace } = bench;
  await bench.openHost("one");
  await bench.openHost("two");
  const gateways = await Promise.all([1, 2, 3].map(() => bench.openGateway()));
  const caller = { id: "t", label: "test" };
  const starts = await Promise.all(
    gateways.flatMap((gateway) =>
      [1, 2].map(() => gateway.start({ agent: "scripted", workspace }, { key: "start", caller })),
    ),
  );
  const [session = ""] = new Set(starts.map((view) => view.session));
  expect(new Set(starts.map((view) => view.session)).size).toBe(1);
  const turns = await Promise.all(
    gateways.flatMap((gateway) => [1, 2].map(() => gateway.send(session, hello, { key: "send", caller }))),
  );
  expect(new Set(turns.map(({ turn }) => turn)).size).toBe(1);
  const [gateway] = gateways;
  const events = await followTurns(gateway as FleetFairlead, session, 1);
  expect(events.filter(({ body }) => body.type === "turn.started")).toHaveLength(1);
  await expect(
    (gateway as FleetFairlead).start({ agent: "scripted", workspace, name: "x" }, { key: "start", caller }),
  ).rejects.toMatchObject({ code: "conflict" });
});

test("says that no host has room, and begins no start that was given up", async () => {
  await using bench = await FleetBench.start();
  const { workspace } = bench;
  const gateway = await bench.openGateway({ startTimeout: 300 });
  const error = await gateway.start({ agent: "scripted", workspace }).catch((reason: unknown) => reason);
  expect(textOf(error)).toContain("No host of the pool default has room: ");
  const { host } = await bench.openHost("one");
  const patient = await bench.openGateway();
  await patient.start({ agent: "scripted", workspace, name: "later" });
  expect(host.sessionCount).toBe(1);
  const listNames = async (): Promise<(string | null)[]> => (await patient.sessions()).sessions.map(({ name }) => name);
  await expect.poll(listNames, { timeout: 20_000 }).toEqual(["later"]);
});

function textOf(error: unknown): string {
  return FairleadError.is(error, "unavailable") ? error.message : String(error);
}

/** Reads the events of a session until a number of turns has ended. */
async function followTurns(gateway: FleetFairlead, session: string, turns: number): Promise<Event[]> {
  const events: Event[] = [];
  let ended = 0;
  for await (const one of gateway.events(session, { follow: true }) as AsyncIterable<Event | Delta>) {
    if (!("body" in one)) continue;
    events.push(one);
    if (one.body.type === "turn.ended" && ++ended === turns) break;
  }
  return events;
}

test("a host whose entry expired says so, and drives its sessions after it was opened again", async () => {
  await using bench = await FleetBench.start();
  const { workspace } = bench;
  const one = await bench.openHost("one");
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace, prompt: hello });
  await followTurns(gateway, session, 1);
  const epochs = (await followTurns(gateway, session, 1)).map(({ epoch }) => epoch);
  await bench.expireHosts();
  if (!one.host.lost.aborted) await once(one.host.lost, "abort");
  await one.close();
  const again = await bench.openHost("one");
  await again.host.fairlead.recovery;
  await gateway.send(session, hello);
  const events = await followTurns(gateway, session, 2);
  expect(Math.max(...epochs)).toBeLessThan(events.at(-1)?.epoch ?? 0);
  expect(await gateway.session(session)).toMatchObject({ state: "idle", turns: 2 });
});

test("no text of a turn comes after the event that has it, or after the end of the turn", async () => {
  await using bench = await FleetBench.start();
  await bench.openHost("one");
  const gateway = await bench.openGateway();
  const { session } = await gateway.start({ agent: "scripted", workspace: bench.workspace });
  const stop = new AbortController();
  const late: string[] = [];
  let ended = 0;
  let isExpected = false;
  const following = (async () => {
    for await (const one of gateway.events(session, { follow: true, deltas: true, signal: stop.signal })) {
      const { type } = "body" in one ? one.body : one;
      if (type === "turn.started") isExpected = true;
      if (type === "text.ended" || type === "turn.ended") isExpected = false;
      if (type === "turn.ended") ended++;
      if (type === "text.delta" && !isExpected) late.push((one as Delta).text);
    }
  })();
  // A short text is late in most turns. It comes before the next turn ends.
  for (let turn = 1; turn <= 20; turn++) {
    await gateway.send(session, hello);
    await expect.poll(() => ended, { timeout: 20_000, interval: 5 }).toBe(turn);
  }
  stop.abort();
  await following;
  expect(late).toEqual([]);
});
