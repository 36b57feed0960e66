import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FairleadError, lawful } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { eventsUntil, Ground, journalOf } from "./ground-for-test.ts";
import { Sessions } from "./sessions.ts";

const say = (text: string): string => withScript("Say.", [{ text }]);
const fenced = (text: string): string => `<context>\n${text}\n</context>\n\n`;

test("what was injected is told with the next message, once, also when that comes after a pause", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await session.inject("The door is green.");
  await session.inject("It is locked.");
  await session.send(say("One."));
  await eventsUntil(session, "turn.ended");
  await session.pause();
  await eventsUntil(session, "session.paused");
  await session[Symbol.asyncDispose]();
  {
    await using sessions = new Sessions(runtime);
    await sessions.act(session.id, (paused) => paused.inject("The key is under the mat.", "mat"));
  }
  const resumed = await runtime.resume(session.id);
  for (const text of ["Two.", "Three."]) {
    const after = resumed.last;
    await resumed.send(say(text));
    await eventsUntil(resumed, "turn.ended", after);
  }

  const journal = await journalOf(runtime, session.id);
  expect(lawful(journal)).toEqual([]);
  const inputs = journal.flatMap(({ body }) => (body.type === "turn.started" ? body.input : []));
  expect(inputs).toEqual([
    `${fenced("The door is green.")}${fenced("It is locked.")}${say("One.")}`,
    `${fenced("The key is under the mat.")}${say("Two.")}`,
    say("Three."),
  ]);
  const injected = journal.flatMap(({ body }) => (body.type === "context.injected" ? body.text : []));
  expect(injected).toEqual(["The door is green.", "It is locked.", "The key is under the mat."]);
  // People know a session by what they said.
  expect((await runtime.summary(session.id)).title).toBe(say("One."));
});

test("what was injected is not lost when whoever drives the session is killed", async () => {
  await using ground = new Ground();
  const program = fileURLToPath(new URL("injector-for-test.ts", import.meta.url));
  const child = spawn(process.execPath, [program, ground.home.folder, ground.folder, "The door is green."], {
    env: ground.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let session = "";
  for await (const line of createInterface({ input: child.stdout })) {
    session = line;
    break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");

  const runtime = await ground.open();
  const attached = await runtime.attach(session);
  expect(attached.state.injected).toEqual(["The door is green."]);
  await attached.send(say("Yes."));
  const events = await eventsUntil(attached, "turn.ended");
  const started = events.find(({ body }) => body.type === "turn.started");
  expect(started?.body).toMatchObject({ input: `${fenced("The door is green.")}${say("Yes.")}` });
  expect(attached.state.injected).toEqual([]);
  expect(lawful(events)).toEqual([]);
});

test("into an ended session nothing can be injected", async () => {
  await using ground = new Ground();
  const runtime = await ground.open();
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await session.end();
  const error = await session.inject("Too late.").catch((thrown: unknown) => thrown);
  expect(FairleadError.is(error, "session-ended") || FairleadError.is(error, "unavailable")).toBe(true);
});
