import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compareRows,
  matchesRowQuery,
  mayReplaceRow,
  type SessionIndex,
  type SessionPageOptions,
  type SessionRow,
  type SessionRowCount,
  type SessionRowQuery,
} from "../session-index.ts";

export type OpenIndex = () => Promise<SessionIndex>;
export type ReopenIndex = (index: SessionIndex) => Promise<SessionIndex>;

/** Returns a row with defaults for all fields that a test does not name. */
export function testRow(row: Partial<SessionRow> & Pick<SessionRow, "session">): SessionRow {
  return {
    epoch: 1,
    last: 1,
    owner: "owner",
    state: "idle",
    unfinished: true,
    name: null,
    agent: "agent",
    workspace: "/workspace",
    continues: null,
    agentSessionId: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    lastAt: "2026-01-01T00:00:00.000Z",
    content: "{}",
    ...row,
  };
}

/** Reads all pages of a query. */
export async function readAllPages(
  index: SessionIndex,
  query: SessionRowQuery,
  options: SessionPageOptions = {},
): Promise<SessionRow[]> {
  const rows: SessionRow[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await index.page(query, { ...options, ...(cursor !== undefined && { cursor }) });
    rows.push(...page.rows);
    cursor = page.next;
  }
  return rows;
}

const timeOf = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const sessionArbitrary = fc.constantFrom("a", "ab", "abc", "b", "bA", "b%", "b_", "z");
const stateArbitrary = fc.constantFrom("idle", "waiting", "ended");
const fieldArbitrary = fc.constantFrom("x", "y");
const nullable = fc.option(fieldArbitrary);
const timeArbitrary = fc.integer({ min: 0, max: 4 }).map(timeOf);

const rowArbitrary: fc.Arbitrary<SessionRow> = fc.record({
  session: sessionArbitrary,
  epoch: fc.integer({ min: 1, max: 3 }),
  last: fc.integer({ min: 0, max: 3 }),
  owner: fieldArbitrary,
  state: stateArbitrary,
  unfinished: fc.boolean(),
  name: nullable,
  agent: fieldArbitrary,
  workspace: fieldArbitrary,
  continues: nullable,
  agentSessionId: nullable,
  startedAt: timeArbitrary,
  lastAt: timeArbitrary,
  content: fc.string({ unit: "grapheme" }),
});
const queryArbitrary: fc.Arbitrary<SessionRowQuery> = fc.record(
  {
    states: fc.array(stateArbitrary, { maxLength: 3 }),
    unfinished: fc.boolean(),
    name: fieldArbitrary,
    agent: fieldArbitrary,
    workspace: fieldArbitrary,
    continues: fieldArbitrary,
    agentSessionId: fieldArbitrary,
    prefix: fc.constantFrom("", "a", "ab", "b", "b%", "b_", "B"),
    since: timeArbitrary,
    until: timeArbitrary,
  },
  { requiredKeys: [] },
);
const optionsArbitrary = fc.record({
  order: fc.constantFrom("activity" as const, "session" as const),
  limit: fc.integer({ min: 1, max: 4 }),
});

export function testIndexRows(open: OpenIndex): void {
  describe("rows", () => {
    test("match the model after any sequence of writes and removals, for any query", async () => {
      const writes = fc.array(
        fc.oneof({ weight: 6, arbitrary: rowArbitrary }, { weight: 1, arbitrary: sessionArbitrary }),
        {
          maxLength: 30,
        },
      );
      const queries = fc.array(fc.tuple(queryArbitrary, optionsArbitrary), { minLength: 5, maxLength: 5 });
      const property = fc.asyncProperty(writes, queries, async (operations, questions) => {
        await using index = await open();
        const model = new Map<string, SessionRow>();
        for (const operation of operations) {
          if (typeof operation === "string") {
            await index.remove(operation);
            model.delete(operation);
            continue;
          }
          const existing = model.get(operation.session);
          const isWritten = existing === undefined || mayReplaceRow(existing, operation);
          expect(await index.put(operation)).toBe(isWritten);
          if (isWritten) model.set(operation.session, operation);
        }
        for (const [query, options] of questions) {
          const expected = [...model.values()].filter((row) => matchesRowQuery(row, query));
          const sorted = expected.toSorted(compareRows(options.order));
          expect(await readAllPages(index, query, options)).toEqual(sorted);
          expect(sortCounts(await index.count(query))).toEqual(countRows(expected));
        }
        for (const session of ["a", "z"]) expect(await index.get(session)).toEqual(model.get(session));
      });
      await fc.assert(property, { numRuns: 80 });
    }, 60_000);

    test("the latest row wins, however many writers put it in whatever order", async () => {
      await using index = await open();
      const rows = [1, 2, 3].flatMap((epoch) =>
        Array.from({ length: 20 }, (_, last) => testRow({ session: "s", epoch, last, content: `${epoch} ${last}` })),
      );
      const shuffled = rows.toSorted((one, other) => ((one.last * 7 + one.epoch * 5) % 11) - ((other.last * 7) % 11));
      await Promise.all(shuffled.map((row) => index.put(row)));
      expect(await index.get("s")).toEqual(rows.at(-1));
    });

    test("a row of the same epoch and sequence replaces the one before", async () => {
      await using index = await open();
      await index.put(testRow({ session: "s", state: "paused", unfinished: true }));
      await index.put(testRow({ session: "s", state: "paused", unfinished: false }));
      expect(await index.get("s")).toMatchObject({ unfinished: false });
    });

    test("a cursor stays valid when rows around it change or disappear", async () => {
      await using index = await open();
      for (let n = 0; n < 10; n++) await index.put(testRow({ session: `s${n}`, lastAt: timeOf(n) }));
      const first = await index.page({}, { limit: 4 });
      expect(first.rows.map(({ session }) => session)).toEqual(["s9", "s8", "s7", "s6"]);
      await index.remove("s6");
      await index.remove("s5");
      await index.put(testRow({ session: "s7", lastAt: timeOf(20) }));
      await index.put(testRow({ session: "new", lastAt: timeOf(30) }));
      const second = await index.page({}, { limit: 4, cursor: first.next ?? "" });
      expect(second.rows.map(({ session }) => session)).toEqual(["s4", "s3", "s2", "s1"]);
      const last = await index.page({}, { limit: 4, cursor: second.next ?? "" });
      expect(last).toMatchObject({ rows: [{ session: "s0" }], next: null });
    });

    test("no row is left out by id while others become active", async () => {
      await using index = await open();
      for (let n = 0; n < 10; n++) await index.put(testRow({ session: `s${n}`, lastAt: timeOf(n) }));
      const first = await index.page({}, { limit: 5, order: "session" });
      for (let n = 0; n < 10; n++) await index.put(testRow({ session: `s${n}`, last: 2, lastAt: timeOf(20 - n) }));
      const second = await index.page({}, { limit: 5, order: "session", cursor: first.next ?? "" });
      const ids = [...first.rows, ...second.rows].map(({ session }) => session);
      expect(ids).toEqual(Array.from({ length: 10 }, (_, n) => `s${n}`));
    });

    test.for(["", "x", "W10", "WyJhIiwxXQ", "WyJhIl0"])("the cursor %j is invalid", async (cursor) => {
      await using index = await open();
      await expect(index.page({}, { cursor })).rejects.toMatchObject({ code: "invalid-request" });
    });

    test("a cursor of one order is invalid for the other", async () => {
      await using index = await open();
      for (const session of ["a", "b"]) await index.put(testRow({ session }));
      for (const [order, other] of [
        ["activity", "session"],
        ["session", "activity"],
      ] as const) {
        const cursor = (await index.page({}, { limit: 1, order })).next ?? "";
        await expect(index.page({}, { cursor, order: other })).rejects.toMatchObject({ code: "invalid-request" });
      }
    });

    test("stores the position up to which it is complete", async () => {
      await using index = await open();
      expect(await index.readPosition()).toBeNull();
      await index.writePosition("7");
      await index.writePosition("8");
      expect(await index.readPosition()).toBe("8");
    });
  });
}

function countRows(rows: readonly SessionRow[]): SessionRowCount[] {
  const counts = new Map<string, SessionRowCount>();
  for (const { agent, state } of rows) {
    const key = `${agent} ${state}`;
    counts.set(key, { agent, state, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return sortCounts([...counts.values()]);
}

function sortCounts(counts: readonly SessionRowCount[]): SessionRowCount[] {
  return counts.toSorted((one, other) => (`${one.agent} ${one.state}` < `${other.agent} ${other.state}` ? -1 : 1));
}
