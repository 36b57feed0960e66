import type { SessionView } from "@fairlead/api";
import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { needOf, needs } from "./needs.ts";
import { groupings, readFilter, type SessionFilter, writeFilter } from "./session-filter.ts";
import { listSessionRows, type ListRow } from "./session-list.ts";

const everything = readFilter(new URLSearchParams());
const states = ["idle", "working", "waiting", "silent", "stuck", "input-closed", "paused", "ended", "lost", "damaged"];
const timeArbitrary = fc.integer({ min: 0, max: 1e9 }).map((at) => new Date(at).toISOString());

const sessionsArbitrary: fc.Arbitrary<SessionView[]> = fc
  .array(
    fc.record({
      state: fc.constantFrom(...states) as fc.Arbitrary<SessionView["state"]>,
      agent: fc.constantFrom("a", "b"),
      workspace: fc.constantFrom("/w/x", "/w/y"),
      startedAt: timeArbitrary,
      lastAt: timeArbitrary,
      parentIndex: fc.integer({ min: -3, max: 30 }),
    }),
    { maxLength: 30 },
  )
  .map((all) =>
    all.map(({ parentIndex, ...fields }, index) =>
      exampleSession({
        ...fields,
        session: `s${index}`,
        label: `Agent ${fields.agent}`,
        // Only earlier sessions, because a session cannot start one of its ancestors. Some parents are not in the list.
        continues: parentIndex < 0 ? null : `s${parentIndex < index ? parentIndex : index + 100}`,
      }),
    ),
  );

const sessionsOf = (rows: readonly ListRow[]): SessionView[] =>
  rows.flatMap((row) => (row.type === "session" ? [row.view] : []));

test.each(groupings)("shows each session once, grouped by %s", (group) => {
  fc.assert(
    fc.property(sessionsArbitrary, (sessions) => {
      const rows = listSessionRows(sessions, { ...everything, group });
      expect(
        sessionsOf(rows)
          .map(({ session }) => session)
          .toSorted(),
      ).toEqual(sessions.map(({ session }) => session).toSorted());
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      const counted = rows.reduce((sum, row) => sum + (row.type === "heading" ? row.count : 0), 0);
      expect(counted).toBe(sessions.length);
    }),
  );
});

test("the order does not depend on the order in which sessions arrive", () => {
  fc.assert(
    fc.property(sessionsArbitrary, fc.constantFrom(...groupings), (sessions, group) => {
      const filter = { ...everything, group };
      expect(listSessionRows(sessions.toReversed(), filter)).toEqual(listSessionRows(sessions, filter));
    }),
  );
});

test("what needs a person comes first, and an event of a working session moves no row", () => {
  fc.assert(
    fc.property(sessionsArbitrary, timeArbitrary, (sessions, lastAt) => {
      const ranks = sessionsOf(listSessionRows(sessions, everything)).map((view) => needs.indexOf(needOf(view)));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      const later = sessions.map((view) => (needOf(view) === "working" ? { ...view, lastAt } : view));
      const order = (views: SessionView[]): string[] =>
        sessionsOf(listSessionRows(views, everything)).map(({ session }) => session);
      expect(order(later)).toEqual(order(sessions));
    }),
  );
});

test("a session is below the one that it continues", () => {
  const views = [
    exampleSession({ session: "child", continues: "parent", lastAt: "2026-11-19T12:00:00.000Z" }),
    exampleSession({ session: "grandchild", continues: "child" }),
    exampleSession({ session: "parent" }),
    exampleSession({ session: "orphan", continues: "forgotten", lastAt: "2026-11-19T09:00:00.000Z" }),
  ];
  const rows = listSessionRows(views, { ...everything, group: "family" });
  expect(rows.map((row) => (row.type === "session" ? [row.key, row.depth] : row.count))).toEqual([
    4,
    ["parent", 0],
    ["child", 1],
    ["grandchild", 2],
    ["orphan", 0],
  ]);
});

test("a filter is read back from the address", () => {
  const filterArbitrary: fc.Arbitrary<SessionFilter> = fc.record({
    need: fc.option(fc.constantFrom(...needs)),
    agent: fc.option(fc.string({ minLength: 1 })),
    workspace: fc.option(fc.string({ minLength: 1 })),
    text: fc.string(),
    group: fc.constantFrom(...groupings),
  });
  fc.assert(
    fc.property(filterArbitrary, (filter) => {
      expect(readFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
    }),
  );
  expect(readFilter(new URLSearchParams("need=everything&group=color"))).toEqual(everything);
});

test("each word must be in one of the fields, in any case", () => {
  const view = exampleSession({ name: "Payments-retry", workspace: "/home/dana/Shop" });
  const finds = (text: string): boolean => listSessionRows([view], { ...everything, text }).length > 0;
  expect(["payments", "shop hello", "  SCRIPTED  agent "].map(finds)).toEqual([true, true, true]);
  expect(["shop refunds", "payments idle2"].map(finds)).toEqual([false, false]);
});
