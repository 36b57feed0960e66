import { decodeRecord, spoolFolder, SpoolReader } from "@fairlead/keeper";
import { withScript } from "@fairlead/kit";
import type { Journal } from "@fairlead/journal";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHomeEngine } from "../open-home-engine.ts";
import type { Runtime } from "../runtime.ts";

let bench: NatsLogBench;
beforeAll(async () => void (bench = await NatsLogBench.start(1)));
afterAll(() => bench[Symbol.asyncDispose]());

/** A data directory whose sessions have their events on NATS. */
class FleetTestHome extends TestHome {
  readonly #resources = new AsyncDisposableStack();
  #namespace: Promise<string> | undefined;

  override async open(): Promise<Runtime> {
    const engine = this.#resources.use(await openHomeEngine(this.home));
    const log = this.#resources.use(await bench.open(await (this.#namespace ??= bench.createNamespace())));
    return await super.open({ engine: { ...engine, log } });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#resources.disposeAsync();
  }
}

async function readCommands(log: Journal, session: string): Promise<{ id: string; type: string }[]> {
  return await Array.fromAsync(log.notes(session), (bytes) => {
    const { id, bytes: text } = decodeRecord(bytes)!;
    const note = JSON.parse(Buffer.from(text).toString()) as { type: string; command?: { type: string } };
    return { id, type: note.command?.type ?? note.type };
  });
}

/** Reads what the agent was sent, from the session's spool. */
function readInputs(testHome: TestHome, session: string): string[] {
  const records = new SpoolReader(spoolFolder(testHome.home.sessionFolder(session))).read();
  return records
    .filter(({ kind }) => kind === "in" || kind === "signal")
    .map(({ bytes }) => Buffer.from(bytes).toString());
}

test("the log has the opening and every command of a session, in their order", async () => {
  await using testHome = new FleetTestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Hang.", [{ hang: true }]));
  await eventsUntil(session, "turn.started");
  await session.interrupt();
  await eventsUntil(session, "turn.ended");
  await session.end();
  await eventsUntil(session, "session.ended");
  const commands = await readCommands(runtime.engine.log, session.id);
  expect(commands.map(({ type }) => type)).toEqual(["opening", "open", "send", "interrupt", "end"]);
  expect(new Set(commands.map(({ id }) => id)).size).toBe(5);
});

test("a command that leads to no event is in the log before its agent gets it, so an owner that was fenced carries out none", async () => {
  await using testHome = new FleetTestHome();
  const runtime = await testHome.open();
  const session = await runtime.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Hang.", [{ text: "I hang." }, { hang: true }]));
  await eventsUntil(session, "text.ended");
  const inputs = readInputs(testHome, session.id);
  const claim = await runtime.engine.log.claim(session.id, "another host");
  await expect(session.interrupt()).rejects.toMatchObject({ code: "fenced" });
  await session.finished;
  expect((await runtime.engine.log.tail(session.id)).fence).toBe(claim.fence);
  // What the agent was sent is in its spool, which the actor no longer changes.
  expect(readInputs(testHome, session.id)).toEqual(inputs);
});

test("a session on NATS is attached by the next process, and its events are complete", async () => {
  await using testHome = new FleetTestHome();
  const first = await testHome.open();
  const session = await first.start({ agent: "scripted", workspace: testHome.folder });
  await session.send(withScript("Say.", [{ text: "one" }]));
  await eventsUntil(session, "turn.ended");
  await first[Symbol.asyncDispose]();
  const second = await testHome.open();
  const attached = await second.attach(session.id);
  await attached.send(withScript("Say.", [{ text: "two" }]));
  await eventsUntil(attached, "turn.ended", attached.lastSequence);
  const texts = (await readJournal(second, session.id)).flatMap(({ body }) =>
    body.type === "text.ended" ? [body.text] : [],
  );
  expect(texts).toEqual(["one", "two"]);
  expect((await readCommands(second.engine.log, session.id)).map(({ type }) => type)).toEqual([
    "opening",
    "open",
    "send",
    "send",
  ]);
});
