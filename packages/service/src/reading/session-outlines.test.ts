import { mkdirSync } from "node:fs";
import type { AgentEvent, Event, TurnSummary } from "@fairlead/contract";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test, vi } from "vitest";
import { outlineVersion, type OutlineContent } from "./outline-fold.ts";
import { OutlineFiles, type OutlineStore } from "./outline-files.ts";
import { SessionOutlines } from "./session-outlines.ts";

/** The events of turns that have one call each. The first half of the turns failed. */
function turnBodies(count: number): AgentEvent[] {
  return Array.from({ length: count }, (_, index): AgentEvent[] => {
    const turn = `t${index + 1}`;
    return [
      { type: "turn.started", turn, input: `Message ${index + 1}.`, origin: "user" },
      { type: "tool.requested", call: turn, name: "run", input: {} },
      { type: "tool.ended", call: turn, name: "run", ok: index >= count / 2, output: "" },
      { type: "turn.ended", turn, outcome: "completed" },
    ];
  }).flat();
}

const numbersOf = (turns: readonly TurnSummary[]): number[] => turns.map(({ number }) => number);

test("pages of the outline have each turn once, the newest page first", async () => {
  await using testHome = new ServiceTestHome();
  await testHome.writeHistories([{ session: "s", name: "demo", bodies: turnBodies(25) }]);
  const fairlead = await testHome.open();
  const newest = await fairlead.turns("demo", { limit: 10 });
  expect({ ...newest, turns: numbersOf(newest.turns) }).toEqual({
    turns: [16, 17, 18, 19, 20, 21, 22, 23, 24, 25],
    next: 16,
    count: 25,
    last: 101,
  });
  expect(newest.turns[0]).toMatchObject({ turn: "t16", first: 62, last: 65, title: "Message 16.", failedCalls: 0 });
  const older = await fairlead.turns("s", { limit: 10, before: 16 });
  expect(numbersOf(older.turns)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  const oldest = await fairlead.turns("s", { limit: 10, before: 6 });
  expect({ turns: numbersOf(oldest.turns), next: oldest.next }).toEqual({ turns: [1, 2, 3, 4, 5], next: null });
  expect(oldest.turns[0]).toMatchObject({ calls: 1, failedCalls: 1 });
  expect((await fairlead.turns("s", { before: 1 })).turns).toEqual([]);
  expect((await fairlead.turns("s", { before: 99 })).turns).toHaveLength(25);
  await expect(fairlead.turns("s", { before: 0 })).rejects.toMatchObject({ code: "invalid-request" });
  await expect(fairlead.turns("nobody")).rejects.toMatchObject({ code: "session-not-found" });
});

/** A journal in memory that counts what is read. */
class CountedJournal {
  readonly #events = new Map<string, Event[]>();
  read = 0;

  append(session: string, bodies: readonly AgentEvent[]): readonly Event[] {
    const events = this.#events.get(session) ?? [];
    for (const body of bodies) {
      const sequence = events.length + 1;
      const common = { session, sequence, epoch: 1, turn: null, agent: "a", model: null, spool: 1, synthetic: false };
      events.push({ id: `${sequence}`, ...common, occurredAt: new Date(sequence).toISOString(), body });
    }
    this.#events.set(session, events);
    return events.slice(events.length - bodies.length);
  }

  async *events(session: string, after: number): AsyncGenerator<Event> {
    for (const event of this.#events.get(session)?.slice(after) ?? []) {
      this.read += 1;
      yield event;
    }
  }
}

function openOutlines(maxTurns?: number): { journal: CountedJournal; outlines: SessionOutlines } {
  const journal = new CountedJournal();
  const options = maxTurns === undefined ? {} : { maxTurns };
  return { journal, outlines: new SessionOutlines({ events: readerOf(journal), ...options }) };
}

const readerOf =
  (journal: CountedJournal) =>
  (session: string, after: number): AsyncIterable<Event> =>
    journal.events(session, after);

/** Keeps outlines as JSON, as files do. */
class MemoryStore implements OutlineStore {
  readonly kept = new Map<string, string>();

  load(session: string): Promise<OutlineContent | null> {
    return Promise.resolve(JSON.parse(this.kept.get(session) ?? "null") as OutlineContent | null);
  }

  save(session: string, content: OutlineContent): Promise<void> {
    this.kept.set(session, JSON.stringify(content));
    return Promise.resolve();
  }
}

test("reads each event once, also for callers at the same time", async () => {
  const { journal, outlines } = openOutlines();
  journal.append("s", turnBodies(10));
  const pages = await Promise.all([outlines.page("s"), outlines.page("s"), outlines.page("s", { limit: 2 })]);
  expect(pages.map(({ turns, count }) => [turns.length, count])).toEqual([
    [10, 10],
    [10, 10],
    [2, 10],
  ]);
  expect(journal.read).toBe(40);
  journal.append("s", [{ type: "turn.started", turn: "open", input: "", origin: "agent" }]);
  expect((await outlines.page("s", { limit: 1 })).turns).toMatchObject([{ turn: "open", number: 11, endedAt: null }]);
  expect(journal.read).toBe(41);
});

test("keeps the outlines that were read last, and one that is longer than all may be", async () => {
  const { journal, outlines } = openOutlines(100);
  for (const session of ["a", "b", "c"]) journal.append(session, turnBodies(30));
  journal.append("long", turnBodies(200));
  for (const session of ["a", "b", "c", "b", "c"]) await outlines.page(session);
  expect(journal.read).toBe(3 * 120);
  await outlines.page("a");
  expect(journal.read).toBe(4 * 120);
  for (const session of ["long", "long"]) await outlines.page(session);
  expect(journal.read).toBe(4 * 120 + 800);
});

test("an outline whose journal cannot be read is read again", async () => {
  const { journal } = openOutlines();
  journal.append("s", turnBodies(3));
  let isBroken = true;
  const outlines = new SessionOutlines({
    async *events(session, after) {
      for await (const event of journal.events(session, after)) {
        if (isBroken && event.sequence === 7) throw new Error("unreadable");
        yield event;
      }
    },
  });
  await expect(outlines.page("s")).rejects.toThrow("unreadable");
  isBroken = false;
  expect(numbersOf((await outlines.page("s")).turns)).toEqual([1, 2, 3]);
});

test("a session whose events are added as they are appended is not read", async () => {
  const { journal, outlines } = openOutlines();
  for (const event of journal.append("s", turnBodies(30))) outlines.add(event);
  expect(numbersOf((await outlines.page("s")).turns)).toHaveLength(30);
  expect(journal.read).toBe(0);
});

test("events that other processes append between those of this one are read", async () => {
  const { journal, outlines } = openOutlines();
  for (const event of journal.append("s", turnBodies(2))) outlines.add(event);
  const bodies = turnBodies(6);
  journal.append("s", bodies.slice(8, 16));
  for (const event of journal.append("s", bodies.slice(16))) outlines.add(event);
  expect(numbersOf((await outlines.page("s")).turns)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(journal.read).toBeLessThanOrEqual(16);
});

test("a later process continues from the outline that was kept, and reads few events", async () => {
  const journal = new CountedJournal();
  const store = new MemoryStore();
  const before = new SessionOutlines({ events: readerOf(journal), store });
  for (const event of journal.append("s", turnBodies(5000))) before.add(event);
  await vi.waitFor(() => expect(store.kept.size).toBe(1));
  const expected = await before.page("s", { limit: 1000 });
  const readBefore = journal.read;
  const after = new SessionOutlines({ events: readerOf(journal), store });
  expect(await after.page("s", { limit: 1000 })).toEqual(expected);
  // What is kept is written again only after events in proportion to its size.
  expect(journal.read - readBefore).toBeLessThan(10_000);
  await after.page("s");
  const third = new SessionOutlines({ events: readerOf(journal), store });
  const readTwice = journal.read;
  await third.page("s");
  expect(journal.read - readTwice).toBeLessThan(1100);
});

test("an outline that was kept of another journal or version is not used", async () => {
  const journal = new CountedJournal();
  const store = new MemoryStore();
  journal.append("s", turnBodies(400));
  await new SessionOutlines({ events: readerOf(journal), store }).page("s");
  const kept = JSON.parse(store.kept.get("s") ?? "") as OutlineContent;
  store.kept.set("s", JSON.stringify({ ...kept, lastId: "of another journal" }));
  const read = journal.read;
  expect((await new SessionOutlines({ events: readerOf(journal), store }).page("s")).count).toBe(400);
  expect(journal.read - read).toBe(1601);

  await using testHome = new ServiceTestHome();
  await testHome.writeHistories([{ session: "s", name: "demo", bodies: turnBodies(1) }]);
  const files = new OutlineFiles(testHome.home);
  await files.save("s", kept);
  expect(await files.load("s")).toBeNull();
  mkdirSync(testHome.home.sessionFolder("s"), { recursive: true });
  await files.save("s", kept);
  expect(await files.load("s")).toEqual(kept);
  await files.save("s", { ...kept, version: outlineVersion + 1 });
  expect(await files.load("s")).toBeNull();
});
