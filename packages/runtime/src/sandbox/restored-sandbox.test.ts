import { withScript } from "@fairlead/kit";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import { createCheckpoint } from "../sessions/session-checkpoint.ts";

test("a session that is restored from a checkpoint has the limits of the one before", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const sandbox = { kind: "bwrap", network: "none" } as const;
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder, sandbox });
  await session.send(withScript("Say.", [{ text: "Hello." }]));
  await eventsUntil(session, "turn.ended");
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  await using otherHome = new TestHome();
  const restored = await (await otherHome.open()).resumeFrom(checkpoint);
  expect(restored.state.opening?.sandbox).toMatchObject(sandbox);
});
