import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { findViolations, type Event } from "@fairlead/contract";
import { spoolFolder, SpoolReader } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { eventsUntil, TestHome, readJournal } from "@fairlead/testing/runtime/test-home.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";

const size = { columns: 90, rows: 20 };
const scriptSaying = (text: string): string => withScript("Say.", [{ text }]);
const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 200 }]);

async function startSession(testHome: TestHome, runtime: Runtime): Promise<Session> {
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(scriptSaying("The word is heliotrope."));
  await eventsUntil(session, "turn.ended");
  return session;
}

/** Reads the screen until its output matches. Returns all output up to there. */
async function readScreenUntil(screen: AsyncGenerator<string>, pattern: RegExp): Promise<string> {
  let output = "";
  for (let next = await screen.next(); next.done !== true; next = await screen.next()) {
    output += next.value;
    if (pattern.test(output)) return output;
  }
  throw new Error(`The screen never showed ${pattern}: ${output}`);
}

const types = (events: readonly Event[]): string[] =>
  events.map(({ body }) => (body.type === "lead.changed" ? `lead: ${body.lead}` : body.type));
const errorCode = (error: unknown): unknown => (error as { code?: unknown }).code;

describe("human lead", () => {
  test("gives a person the agent's terminal, and the agent continues the conversation from there", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const session = await startSession(testHome, runtime);
    const before = session.lastSequence;
    const screen = session.screen();
    await session.takeOver(size);
    expect(await readScreenUntil(screen, /heliotrope/)).toContain("90 by 20");
    await expect(session.send("Hello?").catch(errorCode)).resolves.toBe("taken-over");
    await expect(session.pause().catch(errorCode)).resolves.toBe("taken-over");
    await session.type(`${scriptSaying("And marmalade.")}\r`);
    await readScreenUntil(screen, /\nAnd marmalade/);
    await session.handBack();
    await Array.fromAsync(screen); // the screen ends with the hand-back
    await expect(session.type("x").catch(errorCode)).resolves.toBe("not-taken-over");
    await expect(session.handBack().catch(errorCode)).resolves.toBe("not-taken-over");
    const handBackSequence = session.lastSequence;
    await session.send(scriptSaying("Again."));
    await eventsUntil(session, "turn.ended", handBackSequence);
    const journal = await readJournal(runtime, session.id);
    expect(findViolations(journal)).toEqual([]);
    const after = types(journal.slice(before)).filter((type) => /lead|turn|paused|resumed/.test(type));
    const turn = ["turn.started", "turn.ended"];
    expect(after).toEqual(["lead: human", ...turn, "lead: agent", "session.resumed", ...turn]);
    const { body } = journal.slice(before).find((event) => event.body.type === "turn.started") ?? {};
    expect(body).toMatchObject({ input: scriptSaying("And marmalade."), origin: "terminal", source: "transcript" });
    expect(journal.filter((event) => event.body.type === "text.ended").map((event) => event.body)).toMatchObject([
      { text: "The word is heliotrope." },
      { text: "And marmalade." },
      { text: "Again." },
    ]);
    const transcript = readFileSync(
      join(testHome.folder, "fairlead-scripted", `${session.state.agentSessionId}.jsonl`),
      "utf8",
    );
    expect(transcript).toMatch(/heliotrope[^]*marmalade[^]*Again/);
  });

  test("ends when the person quits the terminal's program", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const session = await startSession(testHome, runtime);
    const screen = session.screen();
    await session.takeOver(size);
    await readScreenUntil(screen, /heliotrope/); // a key before the program reads is not an end of input for it
    await session.type("\u0004");
    const events = await eventsUntil(session, "session.resumed");
    expect(types(events)).not.toContain("status.reported");
    expect(session.state).toMatchObject({ desiredState: "run", terminalSize: null });
  });

  test("interrupts the open turn", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const session = await startSession(testHome, runtime);
    const before = session.lastSequence;
    await session.send(slow);
    await eventsUntil(session, "turn.started", before);
    await session.takeOver(size);
    const journal = await readJournal(runtime, session.id);
    const turnEnded = journal.find(({ sequence, body }) => sequence > before && body.type === "turn.ended");
    expect(turnEnded?.body).toMatchObject({ outcome: "interrupted" });
    expect(types(journal).at(-1)).toBe("lead: human");
    expect(findViolations(journal)).toEqual([]);
  });

  test("can take over a paused session, and end a session during a takeover", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const first = await startSession(testHome, runtime);
    await first.pause();
    await eventsUntil(first, "session.paused");
    await first[Symbol.asyncDispose]();
    const session = await runtime.attach(first.id);
    await session.takeOver(size);
    expect(types(await readJournal(runtime, session.id)).at(-1)).toBe("lead: human");
    await session.end();
    const events = await eventsUntil(session, "session.ended");
    expect(types(events).slice(-3)).toEqual(["lead: human", "lead: agent", "session.ended"]);
    expect(events.at(-1)?.body).toMatchObject({ reason: "stopped" });
    expect(findViolations(events, { complete: true })).toEqual([]);
  });

  test("survives a change of the daemon, and then draws the whole screen again", async () => {
    await using testHome = new TestHome();
    const first = await testHome.open();
    const before = await startSession(testHome, first);
    const screenBefore = before.screen();
    await before.takeOver(size);
    await readScreenUntil(screenBefore, /heliotrope/);
    await before.type("half a li");
    await readScreenUntil(screenBefore, /half a li/);
    await before[Symbol.asyncDispose]();

    const session = await (await testHome.open()).attach(before.id);
    expect(session.state.desiredState).toBe("take-over");
    const screen = session.screen();
    await session.takeOver(size);
    await readScreenUntil(screen, /90 by 20.*heliotrope.*half a li/s);
    await session.handBack();
    expect(types(await eventsUntil(session, "session.resumed")).filter((type) => type.startsWith("lead"))).toEqual([
      "lead: human",
      "lead: agent",
    ]);
  });

  test("is recorded also if the terminal ends while no daemon runs", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const before = await startSession(testHome, runtime);
    const screen = before.screen();
    await before.takeOver(size);
    await readScreenUntil(screen, /heliotrope/);
    await before.type(`${scriptSaying("And marmalade.")}\r`);
    await readScreenUntil(screen, /\nAnd marmalade/);
    await before.type("\u0004");
    await before[Symbol.asyncDispose]();
    const session = await (await testHome.open()).attach(before.id);
    const events = await eventsUntil(session, "session.resumed");
    expect(types(events).slice(-6)).toEqual([
      "lead: human",
      "turn.started",
      "text.ended",
      "turn.ended",
      "lead: agent",
      "session.resumed",
    ]);
    expect(findViolations(events)).toEqual([]);
  });

  test("states that another conversation began, which the agent does not continue", async () => {
    await using testHome = new TestHome();
    const session = await startSession(testHome, await testHome.open());
    const screen = session.screen();
    await session.takeOver(size);
    await readScreenUntil(screen, /heliotrope/);
    writeFileSync(join(testHome.folder, "fairlead-scripted", "another.jsonl"), "");
    await session.handBack();
    const events = await eventsUntil(session, "session.resumed");
    const status = events.map(({ body }) => body).find(({ type }) => type === "status.reported");
    expect(status).toMatchObject({ level: "warning", message: expect.stringContaining("another.") });
  });

  test("records no keys, only what the terminal shows", async () => {
    await using testHome = new TestHome();
    const session = await startSession(testHome, await testHome.open());
    await session.takeOver(size);
    const screen = session.screen();
    await session.type("hunter2\u0015seen\r");
    await readScreenUntil(screen, /seen/);
    const records = new SpoolReader(spoolFolder(testHome.home.sessionFolder(session.id))).read();
    const recordsWithSecret = records.filter(({ bytes }) => Buffer.from(bytes).includes("hunter2"));
    expect(recordsWithSecret.filter(({ kind }) => kind !== "screen")).toEqual([]);
    expect(records.filter(({ kind }) => kind === "in" || kind === "screen").at(-1)?.kind).toBe("screen");
  });

  test("is rejected for an agent without a terminal", async () => {
    await using testHome = new TestHome();
    const runtime = await testHome.open();
    const shell = await runtime.start({ agent: "shell", workspace: testHome.folder });
    await expect(shell.takeOver(size).catch(errorCode)).resolves.toBe("not-supported");
    expect(shell.state.desiredState).toBe("run");
  });
});

test("a session under human lead is lost if its keeper is killed", async () => {
  await using testHome = new TestHome();
  const session = await startSession(testHome, await testHome.open());
  await session.takeOver(size);
  const file = join(testHome.home.sessionFolder(session.id), "keeper.json");
  process.kill((JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid, "SIGKILL");
  const events = await eventsUntil(session, "session.ended");
  expect(events.at(-1)?.body).toMatchObject({ reason: "lost" });
  expect(findViolations(events, { complete: true })).toEqual([]);
});

test("refuses keys and sizes by the state of the session while the terminal opens and ends", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const session = await startSession(testHome, runtime);
  const codes = new Set<unknown>();
  const over = new AbortController();
  const ended = eventsUntil(session, "session.ended").then(() => over.abort());
  const taken = session.takeOver(size);
  const typing = (async () => {
    for (; !over.signal.aborted; await setImmediate()) {
      await session.type("x").catch((error: unknown) => codes.add(errorCode(error)));
    }
  })();
  await taken;
  await session.end();
  await Promise.all([ended, typing]);
  expect([...codes]).toEqual(["not-taken-over"]);
});
