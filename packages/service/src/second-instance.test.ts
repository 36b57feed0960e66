import { withScript } from "@fairlead/kit";
import { expect, test, vi } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const hang = withScript("Hang.", [{ text: "Working." }, { hang: true }]);

test("two instances in one process see each other's sessions as driven", { timeout: 60_000 }, async () => {
  await using testHome = new ServiceTestHome();
  const [first, second] = [await testHome.open(), await testHome.open()];
  const { session } = await first.start({ workspace: testHome.folder, prompt: hang });
  await collectEventsUntil(first, session, "text.ended");
  expect(await second.session(session)).toMatchObject({ state: "working" });
  await second.interrupt(session); // takes the session over
  await collectEventsUntil(second, session, "turn.ended");
  expect(await second.session(session)).toMatchObject({ state: "idle" });
  // The first one notices with the next event that it no longer drives the session.
  await vi.waitUntil(async () => (await first.session(session)).state === "idle", 30_000);
});

test(
  "an instance attaches to the sessions that a closed one in the same process left",
  { timeout: 60_000 },
  async () => {
    await using testHome = new ServiceTestHome();
    const first = await testHome.open();
    const { session } = await first.start({ workspace: testHome.folder, prompt: hang });
    await collectEventsUntil(first, session, "text.ended");
    await testHome.close(first);
    const second = await testHome.open();
    expect(await second.recovery).toMatchObject({ sessions: 1, failures: [] });
    expect(await second.session(session)).toMatchObject({ state: "working" });
  },
);
