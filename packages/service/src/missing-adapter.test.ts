import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { leaveSessionsRunning } from "@fairlead/testing/service/leave-sessions-running.ts";
import { adapters, collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const hang = withScript("Hang.", [{ text: "Working." }, { hang: true }]);
const hello = withScript("Say.", [{ text: "Hello." }]);
const others = adapters.filter(({ manifest }) => manifest.id !== "scripted");

test("a session whose adapter is gone can be listed, read, stopped and forgotten", { timeout: 60_000 }, async () => {
  await using testHome = new ServiceTestHome();
  const [running = ""] = await leaveSessionsRunning(testHome, 1, hang);
  const before = await testHome.open();
  const { session: paused } = await before.start({ workspace: testHome.folder, name: "paused", prompt: hello });
  await collectEventsUntil(before, paused, "turn.ended");
  await before.pause(paused);
  await testHome.close(before);

  const fairlead = await testHome.open(undefined, others);
  await fairlead.recovery;
  for (const session of [running, paused]) {
    const view = (await fairlead.sessions()).sessions.find((one) => one.session === session);
    expect(view).toMatchObject({ agent: "scripted", label: "scripted", capabilities: [] });
    expect(await fairlead.session(session)).toMatchObject({ session, workspace: testHome.folder });
    expect((await Array.fromAsync(fairlead.events(session))).length).toBeGreaterThan(3);
    expect(await fairlead.files(session)).toBeInstanceOf(Array);
    expect(await fairlead.usage(session)).toEqual([]);
    await expect(fairlead.send(session, "More.")).rejects.toThrow("scripted");
    expect(await fairlead.stop(session)).toMatchObject({ state: "ended" });
    expect(await fairlead.stop(session)).toMatchObject({ state: "ended" });
    await fairlead.forget(session);
  }
  expect((await fairlead.sessions()).sessions).toEqual([]);
});
