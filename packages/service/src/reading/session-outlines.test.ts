import type { AgentEvent, Event, TurnSummary } from "@fairlead/contract";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
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

  append(session: string, bodies: readonly AgentEvent[]): void {
    const events = this.#events.get(session) ?? [];
    for (const body of bodies) {
      const sequence = events.length + 1;
      const common = { session, sequence, epoch: 1, turn: null, agent: "a", model: null, spool: 1, synthetic: false };
      events.push({ id: `${sequence}`, ...common, occurredAt: new Date(sequence).toISOString(), body });
    }
    this.#events.set(session, events);
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
  const events = (session: string, after: number): AsyncIterable<Event> => journal.events(session, after);
  return { journal, outlines: new SessionOutlines({ events, ...(maxTurns !== undefined && { maxTurns }) }) };
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
