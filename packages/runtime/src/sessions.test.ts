import { FairleadError, type Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { eventsUntil, Ground } from "./ground-for-test.ts";
import { Sessions } from "./sessions.ts";

const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 100 }]);

test("a session is attached to once, however many ask at once, and anew when another process had taken it", async () => {
  await using ground = new Ground();
  const [first, second] = [await ground.open(), await ground.open()];
  await using sessions = new Sessions(second);
  const { id } = await first.start({ agent: "scripted", workspace: ground.folder });
  const [one, other] = await Promise.all([sessions.get(id), sessions.get(id)]);
  expect(one).toBe(other);
  expect(sessions.driven(id)).toBe(one);

  const taken = await first.attach(id);
  await taken.send(slow);
  await one.finished;
  expect(sessions.driven(id)).toBeUndefined();
  const turn = await sessions.act(id, (session) => session.send(slow, "again"));
  expect(sessions.driven(id)).not.toBe(one);
  expect(turn).toBe(await sessions.act(id, (session) => session.send(slow, "again")));
});

test("what a living process drives is left to it; what nobody drives, or has ended or been paused, is told apart", async () => {
  await using ground = new Ground();
  const [first, second] = [await ground.open(), await ground.open()];
  const start = () => first.start({ agent: "scripted", workspace: ground.folder });
  const [driven, paused, ended] = [await start(), await start(), await start()];
  await paused.pause();
  await eventsUntil(paused, "session.paused");
  await ended.end();
  await eventsUntil(ended, "session.ended");
  const unfinished = await Array.fromAsync(second.catalogue.unfinished());
  expect(unfinished.map(({ session }) => session)).toEqual([driven.id]);
  // Both runtimes are this process, which lives.
  await using sessions = new Sessions(second);
  expect(await sessions.recover()).toEqual({ sessions: 0, failures: [] });
  await expect(sessions.get(ended.id)).rejects.toSatisfy((error) => FairleadError.is(error, "session-ended"));
});

test("one that was just told to go on after a pause is not finished, though its agent has said nothing yet", async () => {
  await using ground = new Ground();
  const [first, second] = [await ground.open(), await ground.open()];
  const { id } = await first.start({ agent: "scripted", workspace: ground.folder });
  await using sessions = new Sessions(first);
  await sessions.act(id, (session) => session.pause());
  await eventsUntil(await sessions.get(id), "session.paused");
  await sessions.act(id, async (session) => {
    await session.resume();
    await session[Symbol.asyncDispose](); // long before a program has started and spoken
  });
  const unfinished = await Array.fromAsync(second.catalogue.unfinished());
  expect(unfinished.map(({ session }) => session)).toEqual([id]);
});

test("a reader who stalls while thousands of events come is given every one of them in the end", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await eventsUntil(session, "turn.ended");
  const stalled = session.stream(session.last);
  // All that was is read already, so this one waits for what comes.
  const first = stalled.next();
  await session.send(withScript("Flood.", [{ flood: { lines: 10_000 } }]));
  const events = [(await first).value as Event];
  const journal = await eventsUntil(session, "turn.ended", events[0]!.sequence);
  for await (const one of stalled) {
    if (!("body" in one)) continue;
    events.push(one);
    if (one.body.type === "turn.ended") break;
  }
  expect(events.length).toBeGreaterThan(10_000);
  expect(events.slice(1)).toEqual(journal);
});
