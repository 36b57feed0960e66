import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Brief, Event } from "@fairlead/contract";
import { briefPrompt, briefUpdatePrompt, withScript } from "@fairlead/kit";
import { expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import type { LocalFairlead } from "./local-fairlead.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
const brief = (goal: string): Brief => ({ title: "Greet", goal, constraints: ["briefly"], acceptance: ["said"] });

async function readInputs(fairlead: LocalFairlead, session: string): Promise<string[]> {
  const events = (await Array.fromAsync(fairlead.events(session))) as Event[];
  return events.flatMap(({ body }) => (body.type === "turn.started" ? body.input : []));
}

/** Sends a message, waits for the end of its turn, and returns what the agent got. */
async function sendAndReadInput(fairlead: LocalFairlead, session: string, text = hello): Promise<string | undefined> {
  const { last } = await fairlead.session(session);
  await fairlead.send(session, text);
  await collectEventsUntil(fairlead, session, "turn.ended", last);
  return (await readInputs(fairlead, session)).at(-1);
}

const told = (goal: string): string => `<context>\n${briefUpdatePrompt(brief(goal))}\n</context>\n\n${hello}`;

test("a session that is started with a brief works on it at once, and its view and first event have the brief", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, brief: brief(hello) });
  const events = await collectEventsUntil(fairlead, session, "turn.ended");
  expect(events[0]?.body).toMatchObject({ type: "session.started", brief: brief(hello) });
  expect(await readInputs(fairlead, session)).toEqual([briefPrompt(brief(hello))]);
  expect(await fairlead.session(session)).toMatchObject({ brief: brief(hello), title: "Greet", turns: 1 });
  expect((await fairlead.sessions()).sessions[0]).toMatchObject({ brief: brief(hello) });
  expect(await fairlead.checkpoint(session)).toMatchObject({ brief: brief(hello), injected: [] });
});

test("a goal of 100 kB reaches the agent whole, and a larger brief than a session keeps starts nothing", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const goal = `${"é".repeat(50_000)} ${hello}`;
  const { session } = await fairlead.start({ workspace: testHome.folder, brief: brief(goal) });
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect(await readInputs(fairlead, session)).toEqual([briefPrompt(brief(goal))]);
  const tooLarge = brief("x".repeat(300_000));
  await expect(fairlead.start({ workspace: testHome.folder, brief: tooLarge })).rejects.toMatchObject({
    code: "too-large",
  });
  await expect(fairlead.updateBrief(session, tooLarge)).rejects.toMatchObject({ code: "too-large" });
  expect((await fairlead.sessions()).sessions).toHaveLength(1);
});

test("a start with a brief and a prompt, with an unknown field, or of an agent that takes none is refused", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { folder: workspace } = testHome;
  const both = fairlead.start({ workspace, prompt: hello, brief: brief("x") });
  await expect(both).rejects.toMatchObject({
    code: "invalid-request",
    message: "A start takes a prompt or a brief, not both.",
  });
  const unknownField = fairlead.start({ workspace, brief: { ...brief("x"), deadline: "soon" } as Brief });
  await expect(unknownField).rejects.toMatchObject({
    code: "invalid-request",
    message: expect.stringContaining("deadline"),
  });
  await expect(fairlead.start({ workspace, agent: "shell", brief: brief("x") })).rejects.toMatchObject({
    code: "not-supported",
    message: expect.stringContaining("cannot be given a brief"),
  });
  const { session } = await fairlead.start({ workspace, agent: "shell" });
  await expect(fairlead.updateBrief(session, brief("x"))).rejects.toMatchObject({
    code: "not-supported",
    message: expect.stringContaining("cannot be given a brief"),
  });
  expect((await fairlead.sessions()).sessions).toHaveLength(1);
});

test("the room of the brief is the room of the session, and no other one", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { folder: workspace } = testHome;
  mkdirSync(join(workspace, "web"));
  writeFileSync(join(workspace, "fairlead.yaml"), "rooms: { web: web, docs: docs }\n");
  const inRoom = { ...brief(hello), room: "web" };
  await expect(fairlead.start({ workspace, brief: inRoom, room: "docs" })).rejects.toMatchObject({
    code: "invalid-request",
    message: 'The brief names the room "web", and the session works in the room "docs".',
  });
  await expect(fairlead.start({ workspace, brief: { ...inRoom, room: "wbe" } })).rejects.toMatchObject({
    code: "invalid-request",
    message: expect.stringContaining('There is no room "wbe"'),
  });
  const { session, room } = await fairlead.start({ workspace, brief: inRoom });
  expect(room).toBe("web");
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect(await readInputs(fairlead, session)).toEqual([expect.stringContaining("Stay within the room `web`: `web`.")]);
  await expect(fairlead.updateBrief(session, { ...inRoom, room: "docs" })).rejects.toMatchObject({
    code: "invalid-request",
    message: 'The brief names the room "docs", and the session works in the room "web".',
  });
  await fairlead.updateBrief(session, brief("two"));
  expect(await fairlead.session(session)).toMatchObject({ brief: { goal: "two", room: "web" } });
  const other = await fairlead.start({ workspace, room: "docs", brief: brief(hello) });
  expect(other.brief).toMatchObject({ room: "docs" });
});

test("an update is told once, with the next message, also after a pause and in a session that had no brief", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  expect((await fairlead.session(session)).brief).toBeUndefined();
  await fairlead.updateBrief(session, brief("one"), { key: "k" });
  await fairlead.updateBrief(session, brief("two"));
  await fairlead.pause(session);
  await fairlead.updateBrief(session, brief("three"));
  expect(await fairlead.checkpoint(session)).toMatchObject({ injected: [briefUpdatePrompt(brief("three"))] });
  await fairlead.updateBrief(session, brief("one"), { key: "k" }); // was executed before, and is not again
  expect(await sendAndReadInput(fairlead, session)).toBe(told("three"));
  expect(await sendAndReadInput(fairlead, session)).toBe(hello);
  expect(await fairlead.session(session)).toMatchObject({ brief: brief("three"), title: "Greet" });
  const goals = ((await Array.fromAsync(fairlead.events(session))) as Event[]).flatMap(({ body }) =>
    body.type === "brief.updated" ? body.brief.goal : [],
  );
  expect(goals).toEqual(["one", "two", "three"]);
  await fairlead.stop(session);
  await expect(fairlead.updateBrief(session, brief("late"))).rejects.toMatchObject({ code: "session-ended" });
});

test("an update is not lost with the process that accepted it", async () => {
  await using testHome = new ServiceTestHome();
  const first = await testHome.open();
  const { session } = await first.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(first, session, "turn.ended");
  await first.updateBrief(session, brief("two"));
  await testHome.close(first);
  const next = await testHome.open();
  expect((await next.session(session)).brief).toEqual(brief("two"));
  expect(await sendAndReadInput(next, session)).toBe(told("two"));
});

test("a session that continues without the agent's memory gets the brief with its first message", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, brief: brief(hello) });
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.updateBrief(session, brief("two"));
  await fairlead.stop(session);
  const { session: fresh, brief: continued } = await fairlead.resume(session, { outcome: "fresh" });
  expect(fresh).not.toBe(session);
  expect(continued).toEqual(brief("two"));
  expect(await sendAndReadInput(fairlead, fresh)).toBe(told("two"));
  const { session: fork } = await fairlead.fork(fresh, { outcome: "rebuilt" });
  const input = await sendAndReadInput(fairlead, fork);
  // The history, which has older briefs, comes after the one that counts.
  expect(input?.startsWith(`<context>\n${briefUpdatePrompt(brief("two"))}\n</context>\n\n<context>\n`)).toBe(true);
  expect(input?.endsWith(hello)).toBe(true);
});

test("a brief is sent into the running turn of an agent that can be steered", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const wait = withScript("Wait.", [
    { text: "Waiting." },
    { tools: [{ name: "run", input: { command: "sleep 600" } }] },
  ]);
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: wait, mode: "full-auto" });
  await collectEventsUntil(fairlead, session, "tool.started");
  await fairlead.updateBrief(session, brief("two"));
  const events = await collectEventsUntil(fairlead, session, "turn.steered");
  expect(events.at(-1)?.body).toMatchObject({ text: briefUpdatePrompt(brief("two")) });
  await fairlead.interrupt(session);
  await collectEventsUntil(fairlead, session, "turn.ended");
  // The agent may not have read it before the turn was cut off.
  expect(await sendAndReadInput(fairlead, session)).toBe(told("two"));
});

test("an update while a person leads is told with the next message after the agent leads again", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
  await collectEventsUntil(fairlead, session, "turn.ended");
  await fairlead.takeOver(session, { columns: 80, rows: 24 });
  await fairlead.updateBrief(session, brief("two"));
  expect(await fairlead.session(session)).toMatchObject({ lead: "human", brief: brief("two") });
  await fairlead.handBack(session);
  expect(await sendAndReadInput(fairlead, session)).toBe(told("two"));
});
