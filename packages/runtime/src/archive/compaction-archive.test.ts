import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter, AgentEvent, Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { createEvents } from "@fairlead/testing/cli/create-events.ts";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CompactionArchive } from "./compaction-archive.ts";

const announced: AgentEvent = { type: "status.reported", level: "info", message: "soon", announces: "compaction" };
const compacted: AgentEvent = { type: "context.compacted", trigger: "automatic" };
const turn: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const say = (text: string): AgentEvent => ({ type: "text.ended", text });

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Notices the events of a session one after the other, and returns the copies by the names of their files. */
async function archiveOf(bodies: readonly AgentEvent[], parent = createFolder()): Promise<Record<string, string>> {
  const events = createEvents(...bodies);
  const readEvents = () => toAsync(events);
  await using archive = new CompactionArchive({ folder: join(parent, "archive"), readEvents });
  for (const event of events) archive.notice(event);
  await archive.settled();
  return readArchive(join(parent, "archive"));
}

function readArchive(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

async function* toAsync(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

describe("the archive of compactions", () => {
  it("has a file for each compaction, with the events since the one before", async () => {
    const files = await archiveOf([
      turn,
      say("one"),
      announced,
      compacted,
      say("two"),
      announced,
      announced,
      compacted,
    ]);
    expect(Object.keys(files)).toEqual(["up-to-3.md", "up-to-6.md"]);
    expect(files["up-to-3.md"]).toContain("\n    one\n");
    expect(files["up-to-6.md"]).toContain("\n    two\n");
    expect(files["up-to-6.md"]).toContain("- This file: the events after 3\n");
    expect(files["up-to-6.md"]).toMatch(/^## Turn 1$/m);
    expect(files["up-to-6.md"]).not.toContain("    one");
  });

  it("has a file for a compaction that was not announced", async () => {
    expect(Object.keys(await archiveOf([turn, say("one"), compacted, say("two"), compacted]))).toEqual([
      "up-to-3.md",
      "up-to-5.md",
    ]);
  });

  it("has another file if a compaction is announced again in the next turn", async () => {
    expect(Object.keys(await archiveOf([turn, announced, turn, say("two"), announced, compacted]))).toEqual([
      "up-to-2.md",
      "up-to-5.md",
    ]);
  });

  it("has no file without a compaction", async () => {
    expect(
      await archiveOf([turn, say("one"), { type: "status.reported", level: "info", message: "compaction" }]),
    ).toEqual({});
  });

  it("contains in the next file what a failed one lacks", async () => {
    const folder = join(createFolder(), "archive");
    const events = createEvents(turn, say("one"), announced, compacted, say("two"), announced);
    const archive = new CompactionArchive({ folder, readEvents: () => toAsync(events) });
    writeFileSync(folder, "in the way");
    for (const event of events.slice(0, 5)) archive.notice(event);
    await archive.settled();
    expect(readFileSync(folder, "utf8")).toBe("in the way");
    rmSync(folder);
    for (const event of events.slice(5)) archive.notice(event);
    await archive.settled();
    const files = readArchive(folder);
    expect(Object.keys(files)).toEqual(["up-to-6.md"]);
    expect(files["up-to-6.md"]).toMatch(/\n {4}one\n[^]*\n {4}two\n/);
  });

  it("leaves no part of a file if the events cannot be read, or the process ends", async () => {
    const folder = join(createFolder(), "archive");
    const events = createEvents(turn, say("one"), announced);
    const fail = async function* (): AsyncGenerator<Event> {
      yield* events;
      throw new Error("The journal is gone.");
    };
    const failing = new CompactionArchive({ folder, readEvents: fail });
    for (const event of events) failing.notice(event);
    await failing.settled();
    expect(readArchive(folder)).toEqual({});

    let isReading = false;
    const hang = async function* (): AsyncGenerator<Event> {
      for (;;) {
        isReading = true;
        yield* events;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const hanging = new CompactionArchive({ folder, readEvents: hang });
    for (const event of events) hanging.notice(event);
    await vi.waitUntil(() => isReading);
    await hanging[Symbol.asyncDispose]();
    expect(readArchive(folder)).toEqual({});
  });

  it("does not create the folder of a session that was forgotten", async () => {
    const parent = createFolder();
    rmSync(parent, { recursive: true });
    expect(await archiveOf([turn, announced], parent)).toEqual({});
    expect(existsSync(parent)).toBe(false);
  });

  it("lets others of the process run while it reads a long session", async () => {
    const events = createEvents(turn, ...Array.from({ length: 2000 }, (_, at) => say(`${at}`)), announced);
    const archive = new CompactionArchive({
      folder: join(createFolder(), "archive"),
      readEvents: () => toAsync(events),
    });
    for (const event of events) archive.notice(event);
    let turns = 0;
    const done = archive.settled().then(() => "done" as const);
    const nextTurn = () => new Promise<"turn">((resolve) => setImmediate(() => resolve("turn")));
    while ((await Promise.race([done, nextTurn()])) === "turn") turns += 1;
    // Two reads of 2,000 events.
    expect(turns).toBeGreaterThanOrEqual(40);
  });
});

/** The scripted agent, which announces a compaction when it says so, and compacts after that. */
function withCompactions(): readonly Adapter[] {
  return adapters.map((adapter) => ({
    ...adapter,
    open: (opening) => {
      const conversation = adapter.open(opening);
      const { dialect } = conversation;
      const observe: typeof dialect.observe = (state, observation) => {
        const observed = dialect.observe(state, observation);
        const events = (observed.events ?? []).flatMap((one) =>
          one.type === "text.ended" && one.text === "compact" ? [announced, compacted] : [one],
        );
        return { ...observed, events };
      };
      return { ...conversation, dialect: { ...dialect, observe } };
    },
  }));
}

it("a session writes its archive beside the turn, and also after another process took it over", async () => {
  await using testHome = new TestHome();
  const workspace = join(testHome.folder, "w");
  mkdirSync(workspace);
  const options = { adapters: withCompactions() };
  const script = (text: string): string => withScript("Go.", [{ text }, { text: "compact" }, { text: "Done." }]);
  const first = await testHome.open(options);
  const session = await first.start({ agent: "scripted", mode: "full-auto", workspace });
  await session.send(script("secret plan"));
  const before = await eventsUntil(session, "turn.ended");
  const folder = testHome.home.archiveFolder(session.id);
  const sequenceOf = (events: readonly Event[]): number =>
    events.find(({ body }) => body.type === "status.reported" && body.announces === "compaction")?.sequence ?? 0;
  const firstFile = `up-to-${sequenceOf(before)}.md`;
  await vi.waitFor(() => expect(readdirSync(folder)).toEqual([firstFile]), 20_000);
  expect(readFileSync(join(folder, firstFile), "utf8")).toContain("\n    secret plan\n");
  expect(statSync(join(folder, firstFile)).mode & 0o777).toBe(0o600);
  await first[Symbol.asyncDispose]();

  const second = await testHome.open(options);
  const attached = await second.attach(session.id);
  await attached.send(script("another plan"));
  const last = before.at(-1)?.sequence ?? 0;
  const after = await eventsUntil(attached, "turn.ended", last);
  const secondFile = `up-to-${sequenceOf(after)}.md`;
  await vi.waitFor(() => expect(readdirSync(folder).toSorted()).toEqual([firstFile, secondFile].toSorted()), 20_000);
  const text = readFileSync(join(folder, secondFile), "utf8");
  expect(text).toContain("\n    another plan\n");
  expect(text).not.toContain("secret plan");
  expect(text).toMatch(/^## Turn 2$/m);
});
