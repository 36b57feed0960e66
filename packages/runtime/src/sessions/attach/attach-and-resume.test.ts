import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import { attachAndResume } from "./attach-and-resume.ts";
import type { Session } from "../session.ts";

test("a resume whose keeper exits before the command is sent starts a new keeper", async () => {
  await using test = new TestHome();
  const runtime = await test.open();
  const session = await runtime.start({ agent: "scripted", workspace: test.folder, session: "one" });
  await session.pause();
  await session.finished;
  let attempts = 0;
  const attach = async (): Promise<Session> => {
    attempts += 1;
    const attached = await runtime.attach("one");
    if (attempts > 1) return attached;
    await runtime.killKeeper("one");
    await attached.finished;
    return attached;
  };
  const resumed = await attachAndResume(attach);
  expect(attempts).toBe(2);
  await eventsUntil(resumed, "session.resumed");
});
