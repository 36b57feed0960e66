import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import { Runtime } from "../runtime.ts";

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
const hello = withScript("Say.", [{ text: "Hello." }]);
const hang = withScript("Hang.", [{ hang: true }]);

test("an interrupt returns the turn that it hit, which a queued message started", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(hello);
  const second = await session.send(hang);
  for await (const item of session.stream()) if ("body" in item && item.turn === second) break;
  expect(await session.interrupt()).toBe(second);
});

test("an agent that cannot be interrupted rejects it, and the message says what ends the turn", async () => {
  await using testHome = new TestHome();
  const capabilities = scripted.manifest.capabilities.filter((one) => one !== "interrupt");
  const adapter = { ...scripted, manifest: { ...scripted.manifest, capabilities } };
  const { home, environment } = testHome;
  await using runtime = await Runtime.open({ home, adapters: [adapter], environment });
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(hang);
  await eventsUntil(session, "turn.started");
  await expect(session.interrupt()).rejects.toMatchObject({
    code: "not-supported",
    message: expect.stringContaining("fairlead pause SESSION"),
  });
  await session.pause();
  expect((await eventsUntil(session, "session.paused")).map(({ body }) => body.type)).toContain("turn.ended");
});
