import { FairleadError, type Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test, vi } from "vitest";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "./session.ts";
import { Sessions } from "./sessions.ts";

const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 100 }]);

test("get attaches once for concurrent callers, and again after another process has taken over", async () => {
  await using testHome = new TestHome();
  const [first, second] = [await testHome.open(), await testHome.open()];
  await using sessions = new Sessions(second);
  const { id } = await first.start({ agent: "scripted", workspace: testHome.folder });
  const [session, sameSession] = await Promise.all([sessions.get(id), sessions.get(id)]);
  expect(session).toBe(sameSession);
  expect(sessions.getIfDriven(id)).toBe(session);

  const takenOver = await first.attach(id);
  await takenOver.send(slow);
  await session.finished;
  expect(sessions.getIfDriven(id)).toBeUndefined();
  const turn = await sessions.withSession(id, (session) => session.send(slow, "again"));
  expect(sessions.getIfDriven(id)).not.toBe(session);
  expect(turn).toBe(await sessions.withSession(id, (session) => session.send(slow, "again")));
});

test("recover skips sessions that a running process drives, and paused and ended ones", async () => {
  await using testHome = new TestHome();
  const [first, second] = [await testHome.open(), await testHome.open()];
  const start = () => first.start({ agent: "scripted", workspace: testHome.folder });
  const [driven, paused, ended] = [await start(), await start(), await start()];
  await paused.pause();
  await eventsUntil(paused, "session.paused");
  await ended.end();
  await eventsUntil(ended, "session.ended");
  const unfinished = await Array.fromAsync(second.projections.listUnfinished());
  expect(unfinished).toEqual([driven.id]);
  // Both runtimes belong to this process, which runs.
  await using sessions = new Sessions(second);
  expect(await sessions.recover()).toEqual({ sessions: 0, failures: [] });
  await expect(sessions.get(ended.id)).rejects.toSatisfy((error) => FairleadError.is(error, "session-ended"));
});

test("recover counts a session that a caller has attached to, and not one that this process started", async () => {
  await using testHome = new TestHome();
  const [first, second] = [await testHome.open(), await testHome.open()];
  const { id } = await first.start({ agent: "scripted", workspace: testHome.folder });
  await using sessions = new Sessions(second);
  await sessions.adopt(second.start({ agent: "scripted", workspace: testHome.folder }));
  await sessions.get(id);
  expect(await sessions.recover()).toEqual({ sessions: 1, failures: [] });
});

test("a session that was just resumed is unfinished, also before its agent produces output", async () => {
  await using testHome = new TestHome();
  const first = await testHome.open();
  const { id } = await first.start({ agent: "scripted", workspace: testHome.folder });
  await using sessions = new Sessions(first);
  await sessions.withSession(id, (session) => session.pause());
  await eventsUntil(await sessions.get(id), "session.paused");
  await sessions.withSession(id, async (session) => {
    await session.resume();
    await session[Symbol.asyncDispose](); // long before the program has started and written output
  });
  // Opened now, as the next daemon is: it reads from the journal what the index does not have yet.
  const second = await testHome.open();
  const unfinished = await Array.fromAsync(second.projections.listUnfinished());
  expect(unfinished).toEqual([id]);
});

test("a stalled reader gets every event in the end, even after thousands", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await eventsUntil(session, "turn.ended");
  const stalled = session.stream(session.lastSequence);
  // The reader has read all stored events, so it waits for new ones.
  const first = stalled.next();
  await session.send(withScript("Flood.", [{ flood: { lines: 10_000 } }]));
  const events = [(await first).value as Event];
  const journal = await eventsUntil(session, "turn.ended", events[0]!.sequence);
  for await (const item of stalled) {
    if (!("body" in item)) continue;
    events.push(item);
    if (item.body.type === "turn.ended") break;
  }
  expect(events.length).toBeGreaterThan(10_000);
  expect(events.slice(1)).toEqual(journal);
});

test("a message that was queued is still counted after the agent has worked without a runtime", async () => {
  await using testHome = new TestHome();
  const first = await testHome.open();
  const session = await first.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Flood.", [{ flood: { lines: 2000, rate: 50 } }]));
  await session.send("Next.");
  await eventsUntil(session, "message.queued");
  await first[Symbol.asyncDispose]();
  const second = await testHome.open();
  await second.projections.waitUntilComplete();
  const { lastAt } = (await second.projections.read(session.id))!.summary!;
  // The spool has events that the journal does not have.
  await expect.poll(async () => (await second.summary(session.id)).lastAt > lastAt, { timeout: 10_000 }).toBe(true);
  expect(await second.summary(session.id)).toMatchObject({ state: "working", queued: 1 });
  expect(await Array.fromAsync(second.list())).toMatchObject([{ session: session.id, queued: 1 }]);
});

test("one writer records a forced end while several callers end and open the session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  await using sessions = new Sessions(runtime);
  const { id } = await sessions.adopt(runtime.start({ agent: "scripted", workspace: testHome.folder }));
  await sessions.withSession(id, (session) => session.pause());
  const paused = await sessions.get(id);
  await eventsUntil(paused, "session.paused");
  await paused.finished;
  const attach = vi.spyOn(runtime, "attach");
  attach.mockRejectedValueOnce(new FairleadError("unavailable", "Its keeper did not start."));
  const record = runtime.recordForcedEnd.bind(runtime);
  let opening: Promise<unknown> | undefined;
  const recordForcedEnd = vi.spyOn(runtime, "recordForcedEnd").mockImplementation(async (session, cause) => {
    const count = attach.mock.calls.length;
    opening = Promise.allSettled([sessions.get(id), sessions.withSession(id, (one) => one.resume()), sessions.get(id)]);
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(attach).toHaveBeenCalledTimes(count);
    await record(session, cause);
  });
  await Promise.all(["one", "two", "three"].map((cause) => sessions.endByForce(id, new Error(cause))));
  expect(recordForcedEnd).toHaveBeenCalledTimes(1);
  const rejection = { status: "rejected", reason: { code: "session-ended" } };
  expect(await opening).toMatchObject([rejection, rejection, rejection]);
  const events = await Array.fromAsync(runtime.events(id, 0));
  expect(events.filter(({ body }) => body.type === "session.ended")).toHaveLength(1);
});

test("a forced end cancels an attach that has not claimed the session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const { id } = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await using sessions = new Sessions(runtime);
  const attach = runtime.attach.bind(runtime);
  const isCanceled = Promise.withResolvers<void>();
  vi.spyOn(runtime, "attach").mockImplementation(async (session, signal) => {
    signal?.addEventListener("abort", () => isCanceled.resolve());
    await isCanceled.promise; // as an attach that waits for its keeper
    return await attach(session, signal);
  });
  const opening = sessions.get(id);
  opening.catch(() => {});
  await sessions.endByForce(id, new Error("It does not respond."));
  await expect(opening).rejects.toMatchObject({ code: "session-ended" });
  expect(sessions.getIfDriven(id)).toBeUndefined();
  expect(sessions.failureOf(id)).toBeUndefined();
}, 30_000);

test("get waits for a start, and does not attach beside it", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  await using sessions = new Sessions(runtime);
  const attach = vi.spyOn(runtime, "attach");
  const starting = runtime.start({ agent: "scripted", workspace: testHome.folder, session: "started" });
  const [adopted, opened] = await Promise.all([sessions.adopt(starting, "started"), sessions.get("started")]);
  expect(opened).toBe(adopted);
  expect(attach).not.toHaveBeenCalled();
});

test("a caller that waits for a session which leaves this host may try again", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  await using sessions = new Sessions(runtime);
  const { id } = await sessions.adopt(runtime.start({ agent: "scripted", workspace: testHome.folder }));
  const leave = (): Promise<void> => sessions.leave(id, { takePlace: async () => {}, returnPlace: () => {} });
  await leave();
  const attach = runtime.attach.bind(runtime);
  const resuming = Promise.withResolvers<void>();
  vi.spyOn(runtime, "attach").mockImplementationOnce(async (...values) => {
    const session = await attach(...values);
    // As if its keeper took long to record the command.
    vi.spyOn(session, "resume").mockImplementation(async () => {
      resuming.resolve();
      await session.finished;
      throw session.failure ?? new FairleadError("unavailable", "This process has released the session.");
    });
    return session;
  });
  const waiting = sessions.get(id);
  waiting.catch(() => {});
  await resuming.promise;
  await leave();
  await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
});

describe("a session that is to leave when its turn has ended", () => {
  const place = { takePlace: async () => {}, returnPlace: () => {} };

  async function startTurn(runtime: Runtime, sessions: Sessions, workspace: string): Promise<Session> {
    const session = await sessions.adopt(runtime.start({ agent: "scripted", workspace }));
    await session.send(withScript("Wait.", [{ delay: 3000 }, { text: "Done." }]));
    await eventsUntil(session, "turn.started");
    return session;
  }

  async function readNextTurns(session: Session): Promise<readonly string[]> {
    const first = (await eventsUntil(session, "turn.ended")).at(-1);
    await session.send(withScript("Say.", [{ text: "Hello." }]));
    return (await eventsUntil(session, "turn.ended", first?.sequence)).map(({ body }) => body.type);
  }

  test("continues with the same agent if it is to stay before that", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await using sessions = new Sessions(runtime);
    const session = await startTurn(runtime, sessions, testHome.folder);
    const stop = new AbortController();
    const leaving = sessions.leave(session.id, { ...place, signal: stop.signal });
    await expect.poll(() => session.state.leaving).toBe(true);
    stop.abort(new Error("undone"));
    await expect(leaving).rejects.toThrow("undone");
    // Before this process releases it: the next one may come after the end of the turn.
    expect(session.state.leaving).toBe(false);
    expect(await readNextTurns(await sessions.get(session.id))).not.toContain("session.paused");
  });

  test("continues with the same agent if the process that waits for that is killed", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    await using killed = new Sessions(runtime);
    const session = await startTurn(runtime, killed, testHome.folder);
    killed.leave(session.id, place).catch(() => {});
    await expect.poll(() => session.state.leaving).toBe(true);
    await session[Symbol.asyncDispose]();
    await using next = new Sessions(runtime);
    expect(await readNextTurns(await next.get(session.id))).not.toContain("session.paused");
  });
});
