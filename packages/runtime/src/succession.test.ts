import { FairleadError, lawful, type EventOf } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { checkpointOf } from "./checkpoint.ts";
import { eventsUntil, Ground } from "./ground-for-test.ts";
import { Home } from "./home.ts";
import { Runtime } from "./runtime.ts";
import type { Session } from "./session.ts";

const say = (text: string): string => withScript("Say.", [{ text }]);

/** Sends a message, waits for the end of its turn, and gives what the agent was told. */
async function told(session: Session, message: string): Promise<string> {
  const after = session.last;
  await session.send(message);
  const events = await eventsUntil(session, "turn.ended", after);
  return events.flatMap(({ body }) => (body.type === "turn.started" ? body.input : [])).join();
}

async function ended(session: Session): Promise<void> {
  await session.end();
  await eventsUntil(session, "session.ended");
}

test("a fork is told what was said before it, and the two then go their own ways", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const original = await runtime.start({ agent: "scripted", workspace: ground.folder, name: "first" });
  await told(original, say("The word is heliotrope."));
  await original.inject("The door is green.");
  const fork = await runtime.fork(original.id, { name: "second" });
  await told(original, say("There it is parsnip."));

  const input = await told(fork, say("Here it is marmalade."));
  expect(input).toContain("heliotrope");
  expect(input).toContain("The door is green.");
  expect(input).not.toContain("parsnip");
  expect(await told(original, say("And on."))).toBe(say("And on."));
  const events = await eventsUntil(fork, "turn.ended");
  expect(lawful(events)).toEqual([]);
  expect(events[0]?.body).toMatchObject({
    name: "second",
    continues: { session: original.id, agentSessionId: null, outcome: "rebuilt", fork: true },
  });
  const resumed = events.find(({ body }) => body.type === "session.resumed")?.body as EventOf<"session.resumed">;
  expect(resumed.outcome).toBe("rebuilt");
});

test("a fork of a session in which nothing was said has nothing to be told", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const original = await runtime.start({ agent: "scripted", workspace: ground.folder });
  const fork = await runtime.fork(original.id);
  expect(await told(fork, say("Hello."))).toBe(say("Hello."));
});

test("what is rebuilt knows what was said in every session that the conversation has gone through", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const first = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await told(first, say("The word is heliotrope."));
  await ended(first);
  const second = await runtime.resume(first.id);
  await told(second, say("And marmalade."));
  const fork = await runtime.fork(second.id);
  expect(await told(fork, say("Yes."))).toMatch(/heliotrope.*marmalade/s);
});

test("a checkpoint goes on in another home that the agent's conversation can be reached from", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await told(session, say("The word is heliotrope."));
  await session.inject("The door is green.");
  const checkpoint = checkpointOf(session.state, session.last, Date.now());
  expect(checkpoint).toMatchObject({ session: session.id, state: "idle", turn: null, decisions: [] });
  expect(checkpoint).toMatchObject({ sequence: session.last, injected: ["The door is green."] });
  await ended(session);

  const { environment, adapters } = ground;
  await using elsewhere = await Runtime.open({ home: new Home(`${ground.folder}/e`), adapters, environment });
  const restored = await elsewhere.resumeFrom(checkpoint);
  expect(await told(restored, say("On."))).toContain("The door is green.");
  const events = await eventsUntil(restored, "turn.ended");
  const resumed = events.find(({ body }) => body.type === "session.resumed");
  expect(resumed?.body).toMatchObject({ outcome: "native", agentSessionId: checkpoint.agentSessionId });
  await ended(restored);

  const unknown = await elsewhere.resumeFrom({
    ...checkpoint,
    session: "nobody",
    agentSessionId: "no-such-conversation",
  });
  const failed = await eventsUntil(unknown, "session.ended");
  expect(failed.map(({ body }) => body)).toContainEqual(
    expect.objectContaining({ type: "error.raised", category: "session-not-found" }),
  );
  expect(failed.map(({ body }) => body.type)).not.toContain("turn.started");

  const nameless = elsewhere.resumeFrom({ ...checkpoint, session: "nobody", agentSessionId: null });
  await expect(nameless).rejects.toSatisfy((error) => FairleadError.is(error, "not-supported"));
});

test("a checkpoint whose session is known here goes on with that session", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await told(session, say("Hello."));
  await session.pause();
  await eventsUntil(session, "session.paused");
  const checkpoint = checkpointOf(session.state, session.last, Date.now());
  expect(checkpoint.state).toBe("paused");
  await session[Symbol.asyncDispose]();
  expect((await runtime.resumeFrom(checkpoint)).id).toBe(session.id);
});

test("a checkpoint names the turn that is going on and the decisions that are open", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  const turn = await session.send(withScript("Run.", [{ tools: [{ name: "run", input: { command: "true" } }] }]));
  const asked = (await eventsUntil(session, "decision.requested")).at(-1)?.body as EventOf<"decision.requested">;
  const checkpoint = checkpointOf(session.state, session.last, Date.now());
  expect(checkpoint).toMatchObject({ state: "waiting", turn, decisions: [asked.decision] });
});
