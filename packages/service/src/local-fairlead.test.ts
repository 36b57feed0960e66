import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentView, Checkpoint, Health, SessionView, UsageView } from "@fairlead/api";
import { FairleadError, findViolations, type ErrorCode, type Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { z } from "zod";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

test("starts, pauses, resumes on a message, stops and continues a session, with views that match their schemas", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const started = SessionView.parse(await fairlead.start({ workspace: testHome.folder, name: "first", prompt: hello }));
  expect(started).toMatchObject({ agent: "scripted", name: "first", mode: "default" });
  const { session } = started;
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect(SessionView.parse(await fairlead.session("first"))).toMatchObject({ session, state: "idle", turns: 1 });

  const checkpoint = Checkpoint.parse(await fairlead.pause(session));
  expect(checkpoint).toMatchObject({ session, state: "paused" });
  expect((await fairlead.session(session)).state).toBe("paused");

  const { last } = await fairlead.session(session);
  const { turn } = await fairlead.send(session, hello);
  const events = await collectEventsUntil(fairlead, session, "turn.ended", last);
  expect(events.at(-1)?.turn).toBe(turn);
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => last + 1 + index));

  expect(SessionView.parse(await fairlead.stop(session))).toMatchObject({
    state: "ended",
    reason: "stopped",
    turns: 2,
  });
  await expect(fairlead.send(session, "More?")).rejects.toThrow("fairlead resume");
  await expect(fairlead.send(session, "More?")).rejects.toSatisfy(withCode("session-ended"));
  expect(findViolations((await Array.fromAsync(fairlead.events(session))) as never, { complete: true })).toEqual([]);

  const continued = await fairlead.resume(session);
  expect(continued).toMatchObject({ continues: session, state: "idle" });
  expect(continued.session).not.toBe(session);

  expect(Health.parse(await fairlead.health())).toMatchObject({ journal: { verdict: "clean", bytesDiscarded: 0 } });
  z.array(AgentView).parse(await fairlead.agents());
  z.array(UsageView).parse(await fairlead.usage());
  expect((await fairlead.sessions()).sessions.map((view) => SessionView.parse(view).state)).toEqual(["idle", "ended"]);
});

test("without its journal, refuses commands that would have to be stored, and still stops agents", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  const { journalFile } = testHome.home;
  renameSync(journalFile, `${journalFile}.away`);
  const problem = expect.stringContaining(`${journalFile} was removed`);
  expect(await fairlead.health()).toMatchObject({ problem });
  const refused = [
    fairlead.start({ workspace: testHome.folder }),
    fairlead.send(session, hello, { key: "k" }),
    fairlead.fork(session, {}),
    fairlead.resume(session),
    fairlead.forget(session),
  ];
  for (const command of refused) {
    await expect(command).rejects.toMatchObject({ code: "unavailable", message: problem });
  }
  expect(await fairlead.stop(session)).toMatchObject({ state: "ended" });
  renameSync(`${journalFile}.away`, journalFile);
  expect(await fairlead.health()).toMatchObject({ problem: null });
  await fairlead.forget(session);
});

test("the diff of a workspace that is gone is refused with a reason", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const workspace = join(testHome.folder, "short-lived");
  mkdirSync(workspace);
  const { session } = await fairlead.start({ workspace });
  rmSync(workspace, { recursive: true });
  await expect(fairlead.diff(session)).rejects.toMatchObject({
    code: "conflict",
    message: `The workspace ${workspace} no longer exists.`,
  });
});

test("lists a decision until it is answered, and accepts one answer", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: ask });
  await collectEventsUntil(fairlead, session, "decision.requested");
  const [open] = await fairlead.decisions();
  expect(open).toMatchObject({ session, agent: "scripted" });
  expect(await fairlead.session(session)).toMatchObject({
    state: "waiting",
    waitingFor: [{ decision: open!.decision }],
  });
  const answer = { type: "allow" } as const;
  await fairlead.answer(session, open!.decision, answer, { key: "yes" });
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect(await fairlead.decisions()).toEqual([]);
  await fairlead.answer(session, open!.decision, answer, { key: "yes" });
  for (const _ of [1, 2]) {
    const lateAnswer = fairlead.answer(session, open!.decision, answer, { key: "late" });
    await expect(lateAnswer).rejects.toSatisfy(withCode("decision-not-open"));
  }
});

test("yields events through a pause and a resume to the end of the session", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  const following = collectEventsUntil(fairlead, session, "session.ended");
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.pause(session);
  await fairlead.resume(session);
  await fairlead.stop(session);
  const events = await following;
  expect(findViolations(events, { complete: true })).toEqual([]);
  expect(events.map(({ body }) => body.type)).toContain("session.paused");
});

test("rejects invalid requests and starts nothing", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  await expect(fairlead.start({ workspace: "here" })).rejects.toSatisfy(withCode("invalid-request"));
  await expect(fairlead.start({ workspace: `${testHome.folder}/none` })).rejects.toSatisfy(withCode("invalid-request"));
  const unknown = fairlead.start({ workspace: testHome.folder, agent: "unknown" });
  await expect(unknown).rejects.toSatisfy(withCode("unknown-agent"));
  await expect(fairlead.session("nothing")).rejects.toSatisfy(withCode("session-not-found"));
  expect((await fairlead.sessions()).sessions).toEqual([]);
});

test("passes every journaled event to the observer", async () => {
  await using testHome = new ServiceTestHome();
  const observed: Event[] = [];
  const fairlead = await testHome.open({ onEvent: (event) => observed.push(event) });
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(observed.slice(0, events.length)).toEqual(events);
});
