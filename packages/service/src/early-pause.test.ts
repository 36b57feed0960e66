import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

const hello = withScript("Say.", [{ text: "Hello." }]);

test("a session that is paused before its first message continues, twice, in a conversation of its own", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder });
  await collectEventsUntil(fairlead, session, "session.changed");
  let last = 0;
  for (let round = 0; round < 2; round += 1) {
    await fairlead.pause(session);
    await collectEventsUntil(fairlead, session, "session.paused", last);
    await fairlead.resume(session);
    const resumed = await collectEventsUntil(fairlead, session, "session.resumed", last);
    last = resumed.at(-1)?.sequence ?? 0;
    expect(resumed.at(-1)?.body).toEqual({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
  }
  await fairlead.send(session, hello);
  const first = await collectEventsUntil(fairlead, session, "turn.ended", last);
  expect(first.at(-1)?.body).toMatchObject({ outcome: "completed" });
  expect(first.map(({ body }) => body.type)).not.toContain("error.raised");

  // From the first message on, the conversation is the same one.
  last = first.at(-1)?.sequence ?? 0;
  await fairlead.pause(session);
  await collectEventsUntil(fairlead, session, "session.paused", last);
  await fairlead.resume(session);
  await fairlead.send(session, hello);
  const second = await collectEventsUntil(fairlead, session, "turn.ended", last);
  expect(second.find(({ body }) => body.type === "session.resumed")?.body).toMatchObject({ outcome: "native" });
  expect(second.at(-1)?.body).toMatchObject({ outcome: "completed" });
}, 60_000);

test("callers that wake a paused session at the same time all reach it", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder });
  await fairlead.pause(session);
  const sent = await Promise.allSettled([1, 2, 3].map(() => fairlead.send(session, hello)));
  expect(sent.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
}, 60_000);
