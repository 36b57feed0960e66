import { AgentView, Checkpoint, Health, SessionView, UsageView } from "@fairlead/api";
import { FairleadError, lawful, type ErrorCode } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventsUntil, Ground } from "./ground-for-test.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

test("a session is started, talked to, paused, taken up by a message, and stopped; and every view keeps to its schema", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  const started = SessionView.parse(await fairlead.start({ workspace: ground.folder, name: "first", prompt: hello }));
  expect(started).toMatchObject({ agent: "scripted", name: "first", mode: "default" });
  const { session } = started;
  await eventsUntil(fairlead, session, "turn.ended");
  expect(SessionView.parse(await fairlead.session("first"))).toMatchObject({ session, state: "idle", turns: 1 });

  const checkpoint = Checkpoint.parse(await fairlead.pause(session));
  expect(checkpoint).toMatchObject({ session, state: "paused" });
  expect((await fairlead.session(session)).state).toBe("paused");

  const { last } = await fairlead.session(session);
  const { turn } = await fairlead.send(session, hello);
  const events = await eventsUntil(fairlead, session, "turn.ended", last);
  expect(events.at(-1)?.turn).toBe(turn);
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, at) => last + 1 + at));

  expect(SessionView.parse(await fairlead.stop(session))).toMatchObject({
    state: "ended",
    reason: "stopped",
    turns: 2,
  });
  await expect(fairlead.send(session, "More?")).rejects.toThrow("fairlead resume");
  await expect(fairlead.send(session, "More?")).rejects.toSatisfy(withCode("session-ended"));
  expect(lawful((await Array.fromAsync(fairlead.events(session))) as never, { whole: true })).toEqual([]);

  const continued = await fairlead.resume(session);
  expect(continued).toMatchObject({ continues: session, state: "idle" });
  expect(continued.session).not.toBe(session);

  Health.parse(await fairlead.health());
  z.array(AgentView).parse(await fairlead.agents());
  z.array(UsageView).parse(await fairlead.usage());
  expect((await fairlead.sessions()).map((view) => SessionView.parse(view).state)).toEqual(["idle", "ended"]);
});

test("a decision is shown until it is answered, once", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
  const { session } = await fairlead.start({ workspace: ground.folder, prompt: ask });
  await eventsUntil(fairlead, session, "decision.requested");
  const [open] = await fairlead.decisions();
  expect(open).toMatchObject({ session, agent: "scripted" });
  expect(await fairlead.session(session)).toMatchObject({
    state: "waiting",
    waitingFor: [{ decision: open!.decision }],
  });
  const answer = { type: "allow" } as const;
  await fairlead.answer(session, open!.decision, answer, { key: "yes" });
  await eventsUntil(fairlead, session, "turn.ended");
  expect(await fairlead.decisions()).toEqual([]);
  await fairlead.answer(session, open!.decision, answer, { key: "yes" });
  for (const _ of [1, 2]) {
    const again = fairlead.answer(session, open!.decision, answer, { key: "late" });
    await expect(again).rejects.toSatisfy(withCode("decision-not-open"));
  }
});

test("a follower sees a session through a pause and a resume to its end", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  const { session } = await fairlead.start({ workspace: ground.folder, prompt: hello });
  const following = eventsUntil(fairlead, session, "session.ended");
  await eventsUntil(fairlead, session, "turn.ended");
  await fairlead.pause(session);
  await fairlead.resume(session);
  await fairlead.stop(session);
  const events = await following;
  expect(lawful(events, { whole: true })).toEqual([]);
  expect(events.map(({ body }) => body.type)).toContain("session.paused");
});

test("what cannot be done is refused in words, and nothing is started", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  await expect(fairlead.start({ workspace: "here" })).rejects.toSatisfy(withCode("invalid-request"));
  await expect(fairlead.start({ workspace: `${ground.folder}/none` })).rejects.toSatisfy(withCode("invalid-request"));
  const unknown = fairlead.start({ workspace: ground.folder, agent: "nobody" });
  await expect(unknown).rejects.toSatisfy(withCode("unknown-agent"));
  await expect(fairlead.session("nothing")).rejects.toSatisfy(withCode("session-not-found"));
  expect(await fairlead.sessions()).toEqual([]);
});
