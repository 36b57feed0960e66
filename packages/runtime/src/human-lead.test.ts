import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lawful, type Event } from "@fairlead/contract";
import { spoolFolder, SpoolReader } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { eventsUntil, Ground, journalOf } from "./ground-for-test.ts";
import type { Runtime } from "./runtime.ts";
import type { Session } from "./session.ts";

const size = { columns: 90, rows: 20 };
const says = (text: string): string => withScript("Say.", [{ text }]);
const slow = withScript("Count.", [{ text: "one two three four five six seven eight", chunks: 8, chunkDelay: 200 }]);

async function begun(ground: Ground, runtime: Runtime): Promise<Session> {
  const session = await runtime.start({ agent: "scripted", workspace: ground.folder });
  await session.send(says("The word is heliotrope."));
  await eventsUntil(session, "turn.ended");
  return session;
}

/** Reads the screen until it shows something; gives all that it has shown until then. */
async function shows(screen: AsyncGenerator<string>, wanted: RegExp): Promise<string> {
  let shown = "";
  for (let next = await screen.next(); next.done !== true; next = await screen.next()) {
    shown += next.value;
    if (wanted.test(shown)) return shown;
  }
  throw new Error(`The screen never showed ${wanted}: ${shown}`);
}

const types = (events: readonly Event[]): string[] =>
  events.map(({ body }) => (body.type === "lead.changed" ? `lead: ${body.lead}` : body.type));
const refusal = (error: unknown): unknown => (error as { code?: unknown }).code;

describe("a person", () => {
  test("takes the lead in the agent's terminal, and the agent goes on from what was said there", async () => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const session = await begun(ground, runtime);
    const before = session.last;
    const screen = session.screen();
    await session.takeOver(size);
    expect(await shows(screen, /heliotrope/)).toContain("90 by 20");
    await expect(session.send("Hello?").catch(refusal)).resolves.toBe("taken-over");
    await expect(session.pause().catch(refusal)).resolves.toBe("taken-over");
    await session.type(`${says("And marmalade.")}\r`);
    await shows(screen, /\nAnd marmalade/);
    await session.handBack();
    await Array.fromAsync(screen); // it has an end
    await expect(session.type("x").catch(refusal)).resolves.toBe("not-taken-over");
    await expect(session.handBack().catch(refusal)).resolves.toBe("not-taken-over");
    const handedBack = session.last;
    await session.send(says("Again."));
    await eventsUntil(session, "turn.ended", handedBack);
    const journal = await journalOf(runtime, session.id);
    expect(lawful(journal)).toEqual([]);
    const after = types(journal.slice(before)).filter((type) => /lead|turn|paused|resumed/.test(type));
    expect(after).toEqual(["lead: human", "lead: agent", "session.resumed", "turn.started", "turn.ended"]);
    const memory = readFileSync(
      join(ground.folder, "fairlead-scripted", `${session.state.agentSessionId}.jsonl`),
      "utf8",
    );
    expect(memory).toMatch(/heliotrope.*\n.*marmalade.*\n.*Again/);
  });

  test("who leaves the terminal by its own means hands the lead back", async () => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const session = await begun(ground, runtime);
    await session.takeOver(size);
    await session.type("\u0004");
    const events = await eventsUntil(session, "session.resumed");
    expect(types(events)).not.toContain("status.reported");
    expect(session.state).toMatchObject({ aim: "run", terminal: null });
  });

  test("may come in the middle of a turn, which is interrupted", async () => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const session = await begun(ground, runtime);
    const before = session.last;
    await session.send(slow);
    await eventsUntil(session, "turn.started", before);
    await session.takeOver(size);
    const journal = await journalOf(runtime, session.id);
    const ended = journal.find(({ sequence, body }) => sequence > before && body.type === "turn.ended");
    expect(ended?.body).toMatchObject({ outcome: "interrupted" });
    expect(types(journal).at(-1)).toBe("lead: human");
    expect(lawful(journal)).toEqual([]);
  });

  test("may take over a paused session, and end one that is taken over", async () => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const first = await begun(ground, runtime);
    await first.pause();
    await eventsUntil(first, "session.paused");
    await first[Symbol.asyncDispose]();
    const session = await runtime.attach(first.id);
    await session.takeOver(size);
    expect(types(await journalOf(runtime, session.id)).at(-1)).toBe("lead: human");
    await session.end();
    const events = await eventsUntil(session, "session.ended");
    expect(types(events).slice(-3)).toEqual(["lead: human", "lead: agent", "session.ended"]);
    expect(events.at(-1)?.body).toMatchObject({ reason: "stopped" });
    expect(lawful(events, { whole: true })).toEqual([]);
  });

  test("goes on when the daemon is another one, and then sees the whole screen again", async () => {
    await using ground = new Ground();
    const first = await ground.open();
    const before = await begun(ground, first);
    await before.takeOver(size);
    await before.type("half a li");
    await before[Symbol.asyncDispose]();

    const session = await (await ground.open()).attach(before.id);
    expect(session.state.aim).toBe("take-over");
    const screen = session.screen();
    await session.takeOver(size);
    await shows(screen, /90 by 20.*heliotrope.*half a li/s);
    await session.handBack();
    expect(types(await eventsUntil(session, "session.resumed")).filter((type) => type.startsWith("lead"))).toEqual([
      "lead: human",
      "lead: agent",
    ]);
  });

  test("leaves no key in the spool that the terminal does not show", async () => {
    await using ground = new Ground();
    const session = await begun(ground, await ground.open());
    await session.takeOver(size);
    const screen = session.screen();
    await session.type("hunter2\u0015seen\r");
    await shows(screen, /seen/);
    const records = new SpoolReader(spoolFolder(ground.home.session(session.id))).read();
    const holding = records.filter(({ bytes }) => Buffer.from(bytes).includes("hunter2"));
    expect(holding.filter(({ kind }) => kind !== "screen")).toEqual([]);
    expect(records.filter(({ kind }) => kind === "in" || kind === "screen").at(-1)?.kind).toBe("screen");
  });

  test("cannot take over what has no conversation yet, or no terminal", async () => {
    await using ground = new Ground();
    const runtime = await ground.open();
    const shell = await runtime.start({ agent: "shell", workspace: ground.folder });
    await expect(shell.takeOver(size).catch(refusal)).resolves.toBe("not-supported");
    expect(shell.state.aim).toBe("run");
  });
});

test("when its keeper dies, the session is lost like any other", async () => {
  await using ground = new Ground();
  const session = await begun(ground, await ground.open());
  await session.takeOver(size);
  const file = join(ground.home.session(session.id), "keeper.json");
  process.kill((JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid, "SIGKILL");
  const events = await eventsUntil(session, "session.ended");
  expect(events.at(-1)?.body).toMatchObject({ reason: "lost" });
  expect(lawful(events, { whole: true })).toEqual([]);
});
