import { readFileSync } from "node:fs";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const hang = withScript("Hang.", [{ text: "Working." }, { hang: true }]);
const hello = withScript("Say.", [{ text: "Hello." }]);
const fail = withScript("Fail.", [{ error: { status: 500 } }]);

test("says how the last turn ended, also after a restart and in a list", { timeout: 60_000 }, async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session, lastOutcome } = await fairlead.start({ workspace: testHome.folder });
  expect(lastOutcome).toBeNull();
  for (const [message, outcome] of [
    [hello, "completed"],
    [fail, "failed"],
  ] as const) {
    const { last } = await fairlead.session(session);
    await fairlead.send(session, message);
    await collectEventsUntil(fairlead, session, "turn.ended", last);
    expect(await fairlead.session(session)).toMatchObject({ state: "idle", lastOutcome: outcome });
  }
  await fairlead.pause(session);
  await testHome.close(fairlead);
  const next = await testHome.open();
  expect((await next.sessions()).sessions).toMatchObject([{ session, state: "paused", lastOutcome: "failed" }]);
});

test("has the process id of the agent while it runs", { timeout: 60_000 }, async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hang });
  await collectEventsUntil(fairlead, session, "text.ended");
  const { pid } = await fairlead.session(session);
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ")).toContain("scripted-agent");
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain(`FAIRLEAD_SESSION=${session}`);
  await fairlead.pause(session);
  expect(await fairlead.session(session)).toMatchObject({ state: "paused", pid: null });
});
