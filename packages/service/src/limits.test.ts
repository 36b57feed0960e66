import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checkpoint, SessionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { chooseLimits } from "./choose-limits.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
const hang = withScript("Wait.", [{ text: "Waiting.", hang: true }]);

const bodies = (events: readonly Event[], type: Event["body"]["type"]): Event["body"][] =>
  events.map(({ body }) => body).filter((body) => body.type === type);

test("at a limit the turn ends, the session pauses and keeps its queue, until the limit is raised", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const limits = { seconds: 0.5 };
  const started = await fairlead.start({ workspace: testHome.folder, limits, prompt: hang });
  expect(SessionView.parse(started)).toMatchObject({ limits, pauseReason: null });
  const { session } = started;
  await fairlead.send(session, hello);
  const events = await collectEventsUntil(fairlead, session, "session.paused");
  expect(events.at(-1)?.body).toEqual({ type: "session.paused", reason: "budget" });
  expect(bodies(events, "turn.ended")).toMatchObject([{ outcome: "limited" }]);
  expect(bodies(events, "status.reported")).toHaveLength(2);
  expect(await fairlead.session(session)).toMatchObject({
    state: "paused",
    pauseReason: "budget",
    queued: 1,
    pid: null,
  });

  const refused = { code: "limit-reached", message: expect.stringContaining("fairlead resume") };
  await expect(fairlead.send(session, hello)).rejects.toMatchObject(refused);
  await expect(fairlead.resume(session)).rejects.toMatchObject(refused);
  await expect(fairlead.resume(session, { limits: { seconds: 0.1 } })).rejects.toMatchObject(refused);
  await testHome.close(fairlead);

  const other = await testHome.open();
  await expect(other.send(session, hello)).rejects.toMatchObject(refused);
  const raise = { limits: { seconds: 60 } };
  await expect(other.resume(session, raise, { approvalsRequired: true })).rejects.toMatchObject({
    code: "not-allowed",
  });
  expect(Checkpoint.parse(await other.checkpoint(session))).toMatchObject({ limits, spent: { tokens: 0, usd: 0 } });
  const { last } = await other.session(session);
  expect(await other.resume(session, raise, { key: "raise" })).toMatchObject(raise);
  // A repetition of the command changes nothing.
  expect(await other.resume(session, raise, { key: "raise" })).toMatchObject(raise);
  const rest = await collectEventsUntil(other, session, "turn.ended", last);
  expect(rest.at(-1)?.body).toMatchObject({ outcome: "completed" });
  expect(bodies(rest, "session.changed")).toContainEqual({ type: "session.changed", limits: { seconds: 60 } });
});

test("a limit that is reached while no service runs is kept by the next one", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, limits: { seconds: 1.5 }, prompt: hang });
  await collectEventsUntil(fairlead, session, "turn.started");
  await testHome.close(fairlead);
  const other = await testHome.open();
  const events = await collectEventsUntil(other, session, "session.paused");
  expect(events.at(-1)?.body).toMatchObject({ reason: "budget" });
});

test("a continuation has used what the session before it has used, and a fork has used nothing", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const limits = { seconds: 0.5 };
  const { session } = await fairlead.start({ workspace: testHome.folder, limits, prompt: hang });
  await collectEventsUntil(fairlead, session, "session.paused");
  const fork = await fairlead.fork(session, { outcome: "rebuilt" });
  expect(fork).toMatchObject({ limits, state: "idle" });
  await fairlead.stop(session);
  await expect(fairlead.resume(session)).rejects.toMatchObject({ code: "limit-reached" });
  const raise = { limits: { seconds: 600 } };
  await expect(fairlead.resume(session, raise, { approvalsRequired: true })).rejects.toMatchObject({
    code: "not-allowed",
  });
  const continued = await fairlead.resume(session, raise);
  expect(continued).toMatchObject({ continues: session, ...raise });
  expect((await fairlead.checkpoint(continued.session)).spent?.seconds).toBeGreaterThanOrEqual(0.5);
  expect((await fairlead.checkpoint(fork.session)).spent?.seconds).toBe(0);
});

test("refuses a limit that nothing could keep, and ignores one of the workspace file", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { folder: workspace } = testHome;
  for (const limits of [{ usd: 1 }, { tokens: 1000 }])
    await expect(fairlead.start({ workspace, limits })).rejects.toMatchObject({ code: "not-supported" });
  writeFileSync(join(workspace, "fairlead.yaml"), "limits: { tokens: 1000, seconds: 60 }\n");
  expect((await fairlead.start({ workspace })).limits).toEqual({ seconds: 60 });
  const limits = { seconds: 90 };
  expect((await fairlead.start({ workspace, limits })).limits).toEqual(limits);
  const options = { approvalsRequired: true };
  expect((await fairlead.start({ workspace, limits }, options)).limits).toEqual({ seconds: 60 });
});

test("refuses a limit that nothing could keep when it is changed, so that the session can be continued", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  await expect(fairlead.resume(session, { limits: { usd: 1 } })).rejects.toMatchObject({ code: "not-supported" });
  expect(await fairlead.resume(session, { limits: { seconds: 60 } })).toMatchObject({ limits: { seconds: 60 } });
});

test("the caller's limits take precedence, but only who may approve can raise those of the workspace", () => {
  const ofWorkspace = { usd: 2, tokens: 10 };
  expect(chooseLimits({ usd: 5 }, ofWorkspace, false)).toEqual({ usd: 5, tokens: 10 });
  expect(chooseLimits({ usd: 5 }, ofWorkspace, true)).toEqual({ usd: 2, tokens: 10 });
  expect(chooseLimits({ usd: 1, seconds: 3 }, ofWorkspace, true)).toEqual({ usd: 1, tokens: 10, seconds: 3 });
  expect(chooseLimits(undefined, undefined, true)).toBeUndefined();
});

test("a fork into another workspace keeps the limits of its file, unless the caller may approve", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const workspace = join(testHome.folder, "b");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "fairlead.yaml"), "limits:\n  seconds: 5\n");
  const limits = { seconds: 600 };
  const { session } = await fairlead.start({ workspace: testHome.folder, limits });
  const request = { outcome: "rebuilt", workspace } as const;
  expect((await fairlead.fork(session, request, { approvalsRequired: true })).limits).toEqual({ seconds: 5 });
  expect((await fairlead.fork(session, request)).limits).toEqual(limits);
});
