import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FairleadError, findViolations } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { eventsUntil, TestHome, readJournal } from "@fairlead/testing/runtime/test-home.ts";
import { Sessions } from "./sessions.ts";

const scriptSaying = (text: string): string => withScript("Say.", [{ text }]);
const contextBlock = (text: string): string => `<context>\n${text}\n</context>\n\n`;

test("injected context is sent once, with the next message, also after a pause", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.inject("The door is green.");
  await session.inject("It is locked.");
  await session.send(scriptSaying("One."));
  await eventsUntil(session, "turn.ended");
  await session.pause();
  await eventsUntil(session, "session.paused");
  await session[Symbol.asyncDispose]();
  {
    await using sessions = new Sessions(runtime);
    await sessions.withSession(session.id, (paused) => paused.inject("The key is under the mat.", "mat"));
  }
  const resumed = await runtime.resume(session.id);
  for (const text of ["Two.", "Three."]) {
    const after = resumed.lastSequence;
    await resumed.send(scriptSaying(text));
    await eventsUntil(resumed, "turn.ended", after);
  }

  const journal = await readJournal(runtime, session.id);
  expect(findViolations(journal)).toEqual([]);
  const inputs = journal.flatMap(({ body }) => (body.type === "turn.started" ? body.input : []));
  expect(inputs).toEqual([
    `${contextBlock("The door is green.")}${contextBlock("It is locked.")}${scriptSaying("One.")}`,
    `${contextBlock("The key is under the mat.")}${scriptSaying("Two.")}`,
    scriptSaying("Three."),
  ]);
  const injected = journal.flatMap(({ body }) => (body.type === "context.injected" ? body.text : []));
  expect(injected).toEqual(["The door is green.", "It is locked.", "The key is under the mat."]);
  // The title is the message without the injected context, because people recognize their own words.
  expect((await runtime.summary(session.id)).title).toBe(scriptSaying("One."));
});

test("injected context is not lost if the driver is killed", async () => {
  await using testHome = new TestHome();
  const program = fileURLToPath(new URL("../../../testing/src/runtime/injector.ts", import.meta.url));
  const child = spawn(process.execPath, [program, testHome.home.folder, testHome.folder, "The door is green."], {
    env: testHome.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let session = "";
  for await (const line of createInterface({ input: child.stdout })) {
    session = line;
    break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");

  const runtime = await testHome.open();
  const attached = await runtime.attach(session);
  expect(attached.state.pendingContext).toEqual(["The door is green."]);
  await attached.send(scriptSaying("Yes."));
  const events = await eventsUntil(attached, "turn.ended");
  const started = events.find(({ body }) => body.type === "turn.started");
  expect(started?.body).toMatchObject({ input: `${contextBlock("The door is green.")}${scriptSaying("Yes.")}` });
  expect(attached.state.pendingContext).toEqual([]);
  expect(findViolations(events)).toEqual([]);
});

test("inject is rejected for an ended session", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.end();
  const error = await session.inject("Too late.").catch((thrown: unknown) => thrown);
  expect(FairleadError.is(error, "session-ended") || FairleadError.is(error, "unavailable")).toBe(true);
});
