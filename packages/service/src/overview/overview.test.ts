import { FairleadError } from "@fairlead/contract";
import { OverviewFrame, type SessionView } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { OverviewReader } from "@fairlead/testing/service/overview-reader.ts";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);

test("shows a session from its start to its removal, with its decision and what it does", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const reader = new OverviewReader();
  await reader.readUntil(fairlead);
  expect([reader.sessions.size, reader.resets]).toEqual([0, 1]);

  const { session } = await fairlead.start({ workspace: testHome.folder, name: "one", prompt: ask });
  await reader.readUntil(fairlead, () => reader.decisions.size === 1);
  const [decision] = await fairlead.decisions();
  expect([...reader.decisions.values()]).toEqual([decision]);
  await reader.readUntil(fairlead, () => reader.stateOf(session) === "waiting");
  expect(reader.counts).toMatchObject({ waiting: 1, ended: 0 });
  expect(reader.sessions.get(session)).toEqual((await fairlead.sessions()).sessions[0]);

  await fairlead.answer(session, decision!.decision, { type: "allow" });
  await collectEventsUntil(fairlead, session, "turn.ended");
  await reader.readUntil(fairlead, () => reader.stateOf(session) === "idle");
  expect(reader.decisions.size).toBe(0);
  expect(reader.resets).toBe(1);

  await fairlead.stop(session);
  await reader.readUntil(fairlead, () => reader.counts?.ended === 1);
  expect(reader.stateOf(session)).toBe("ended");
  await fairlead.forget(session);
  await reader.readUntil(fairlead, () => reader.sessions.size === 0);
  await reader.readUntil(fairlead, () => reader.counts?.ended === 0);
});

test("has all open sessions and only the newest ended ones, of thousands", async () => {
  await using testHome = new ServiceTestHome();
  const start = Date.UTC(2026, 0, 1);
  const histories = Array.from({ length: 5000 }, (_, index) => {
    const state = index % 500 === 0 ? "paused" : "ended";
    return { session: `s${String(index).padStart(4, "0")}`, state, at: start + index * 1000, name: null } as const;
  });
  await testHome.writeHistories(histories);
  const fairlead = await testHome.open();
  // The index of a new data directory is built from the journal first.
  await expect.poll(async () => (await fairlead.sessions({ limit: 1 })).pending, { timeout: 100_000 }).toBe(0);
  const started = performance.now();
  const frames: OverviewFrame[] = [];
  for await (const frame of fairlead.overview()) {
    frames.push(OverviewFrame.parse(frame));
    expect(Math.abs(Date.parse(frame.now ?? "") - Date.now())).toBeLessThan(60_000);
    if (frame.caughtUp) break;
  }
  const took = performance.now() - started;
  const bytes = frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
  console.log(`first state of 5000 sessions: ${Math.round(took)} ms, ${bytes} bytes, ${frames.length} frames`);
  const views = frames.flatMap(({ sessions }) => sessions);
  const idsOf = (state: SessionView["state"]): string[] =>
    views.filter((view) => view.state === state).map(({ session }) => session);
  expect(idsOf("paused")).toHaveLength(10);
  const ended = histories.filter(({ state }) => state === "ended").slice(-200);
  expect(idsOf("ended").toSorted()).toEqual(ended.map(({ session }) => session));
  expect(frames.at(-1)?.counts).toMatchObject({ ended: 4990, paused: 10, working: 0 });
});

test("ends with the service, so that a follower connects to the next one", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const frames = fairlead.overview()[Symbol.asyncIterator]();
  await frames.next();
  const ended = expect(frames.next()).rejects.toSatisfy((error) => FairleadError.is(error, "unavailable"));
  await testHome.close(fairlead);
  await ended;
});
