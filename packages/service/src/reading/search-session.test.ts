import type { SearchQuery } from "@fairlead/api";
import { createEventMatcher, type AgentEvent, type Event, type SearchMatch } from "@fairlead/contract";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { searchSession } from "./search-session.ts";

/** A session in memory that counts what is read, on a clock that each event advances. */
class CountedSession {
  readonly #events: readonly Event[];
  readonly #msPerEvent: number;
  #time = 0;
  read = 0;

  constructor(texts: readonly string[], msPerEvent = 0) {
    const common = { session: "s", epoch: 1, turn: null, agent: "a", model: null, spool: 1, synthetic: false };
    const occurredAt = new Date(0).toISOString();
    this.#msPerEvent = msPerEvent;
    this.#events = texts.map((text, index) => {
      return { id: `${index}`, ...common, sequence: index + 1, occurredAt, body: { type: "text.ended", text } };
    });
  }

  get last(): number {
    return this.#events.length;
  }

  readonly now = (): number => this.#time;

  readonly events = async function* (this: CountedSession, after: number, limit: number): AsyncGenerator<Event> {
    for (const event of this.#events.slice(after, after + limit)) {
      this.read += 1;
      this.#time += this.#msPerEvent;
      yield event;
    }
  }.bind(this);

  naive(text: string): number[] {
    const match = createEventMatcher(text);
    const found = this.#events.filter((event) => match(event) !== null);
    return found.map(({ sequence }) => sequence).toReversed();
  }
}

async function readAllPages(session: CountedSession, query: SearchQuery) {
  const matches: SearchMatch[] = [];
  let pages = 0;
  for (let before: number | null | undefined = undefined; before !== null; pages += 1) {
    const page = await searchSession(session, { ...query, ...(before !== undefined && { before }) });
    expect(page.matches.length).toBeLessThanOrEqual(query.limit ?? 100);
    if (before !== undefined && page.next !== null) expect(page.next).toBeLessThan(before);
    matches.push(...page.matches);
    before = page.next;
  }
  return { pages, found: matches.map(({ sequence }) => sequence) };
}

test("all pages together have each match of a naive scan once, the newest first", async () => {
  const texts = fc.array(fc.constantFrom("a needle", "NEEDLE", "hay", ""), { maxLength: 300 });
  const limit = fc.integer({ min: 1, max: 100 });
  await fc.assert(
    fc.asyncProperty(texts, limit, fc.constantFrom(0, 1, 15, 500), async (all, size, msPerEvent) => {
      const session = new CountedSession(all, msPerEvent);
      const { found } = await readAllPages(session, { text: "needle", limit: size });
      expect(found).toEqual(session.naive("needle"));
    }),
  );
});

test("a match near the end is found after a few events, whatever the length of the session", async () => {
  const texts = Array.from({ length: 50_000 }, (_, index) => (index === 49_990 ? "needle" : "hay"));
  const session = new CountedSession(texts);
  expect(await searchSession(session, { text: "needle", limit: 1 })).toMatchObject({
    matches: [{ sequence: 49_991 }],
    next: 49_985,
  });
  expect(session.read).toBe(16);
});

test("a call stops after 20,000 events", async () => {
  const session = new CountedSession(Array.from({ length: 50_000 }, () => "hay"));
  expect(await searchSession(session, { text: "needle" })).toEqual({ matches: [], next: 30_001 });
  expect(session.read).toBe(20_000);
});

test("a call stops after 200 ms, and searches a chunk of slow events all the same", async () => {
  const slow = new CountedSession(
    Array.from({ length: 1000 }, () => "hay"),
    5,
  );
  expect((await searchSession(slow, { text: "needle" })).next).toBe(1001 - 32);
  expect(slow.now()).toBeLessThanOrEqual(200);
  const slower = new CountedSession(
    Array.from({ length: 1000 }, () => "hay"),
    500,
  );
  expect((await searchSession(slower, { text: "needle" })).next).toBe(1001 - 16);
});

test("other work of the process has its turn during a search", async () => {
  const session = new CountedSession(
    Array.from({ length: 15 }, () => "hay"),
    10,
  );
  let turns = 0;
  const immediate = setImmediate(() => (turns += 1));
  await searchSession(session, { text: "needle" });
  clearImmediate(immediate);
  expect(turns).toBeGreaterThan(0);
});

test("the library searches a session of the journal", async () => {
  await using testHome = new ServiceTestHome();
  const bodies: AgentEvent[] = [
    { type: "turn.started", turn: "t", input: "Find the needle.", origin: "user" },
    { type: "tool.requested", call: "c", name: "run", input: { command: "grep -r Needle" } },
    { type: "tool.ended", call: "c", name: "run", ok: true, output: "hay" },
    { type: "turn.ended", turn: "t", outcome: "completed" },
  ];
  await testHome.writeHistories([{ session: "s", name: "demo", bodies }]);
  const fairlead = await testHome.open();
  const page = await fairlead.search("demo", { text: "needle" });
  expect(page.matches.map(({ sequence, turn, kind, excerpt }) => [sequence, turn, kind, excerpt])).toEqual([
    [3, "t", "tool.requested", "grep -r Needle"],
    [2, "t", "turn.started", "Find the needle."],
  ]);
  expect(page.next).toBeNull();
  const [match] = page.matches;
  expect(match?.excerpt.slice(match.offset, match.offset + match.length)).toBe("Needle");
  expect((await fairlead.search("s", { text: "needle", before: 3 })).matches).toHaveLength(1);
  expect(await fairlead.search("s", { text: "needle", before: 1 })).toEqual({ matches: [], next: null });
  for (const query of [{ text: "" }, { text: "x".repeat(201) }, { text: "x", limit: 101 }, { text: "x", before: 0 }])
    await expect(fairlead.search("s", query)).rejects.toMatchObject({ code: "invalid-request" });
  await expect(fairlead.search("nobody", { text: "x" })).rejects.toMatchObject({ code: "session-not-found" });
});
