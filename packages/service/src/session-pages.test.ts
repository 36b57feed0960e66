import { rmSync } from "node:fs";
import { listSessions, type SessionQuery } from "@fairlead/api";
import { Runtime } from "@fairlead/runtime";
import type { HistoryOptions } from "@fairlead/testing/runtime/write-history.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { LocalFairlead } from "./local-fairlead.ts";

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const timeOf = (index: number): string => new Date(start + index * hour).toISOString();

/** Sessions `s000` to `s119`, one per hour: every third is paused, the others ended. */
const histories = Array.from({ length: 120 }, (_, index): HistoryOptions => {
  const session = `s${String(index).padStart(3, "0")}`;
  const state = index % 3 === 0 ? "paused" : "ended";
  const agent = index % 2 === 0 ? "scripted" : "shell";
  const continues = index === 11 ? "s010" : null;
  return { session, state, agent, continues, at: start + index * hour, workspace: `/w${index % 4}`, name: `n${index}` };
});

let sharedHome: ServiceTestHome;
let sharedFairlead: LocalFairlead;
beforeAll(async () => {
  sharedHome = new ServiceTestHome();
  await sharedHome.writeHistories(histories);
  sharedFairlead = await sharedHome.open();
});
afterAll(() => sharedHome[Symbol.asyncDispose]());

async function collectIds(query: SessionQuery, fairlead = sharedFairlead): Promise<string[]> {
  return (await Array.fromAsync(listSessions(fairlead, query))).map(({ session }) => session);
}

test("lists sessions in pages, and leaves out and repeats none", async () => {
  const all = histories.map(({ session }) => session);
  expect(await collectIds({ limit: 7 })).toEqual(all.toReversed());
  expect(await collectIds({ limit: 7, order: "session" })).toEqual(all);
  const { sessions, next, pending } = await sharedFairlead.sessions();
  expect({ count: sessions.length, isLast: next === null, pending }).toEqual({ count: 100, isLast: false, pending: 0 });
});

test.each<[SessionQuery, (history: HistoryOptions, index: number) => boolean]>([
  [{ state: ["paused"] }, ({ state }) => state === "paused"],
  [{ state: ["paused", "ended"], agent: "shell" }, ({ agent }) => agent === "shell"],
  [{ state: ["idle", "lost", "silent", "damaged"] }, () => false],
  [{ agent: "scripted", workspace: "/w2" }, (_, index) => index % 4 === 2],
  [{ name: "n7" }, (_, index) => index === 7],
  [{ continues: "s010" }, (_, index) => index === 11],
  [{ since: timeOf(30), until: timeOf(40) }, (_, index) => index >= 30 && index < 40],
  [{ state: ["ended"], until: timeOf(10) }, ({ state }, index) => state === "ended" && index < 10],
])("lists the sessions of the query %j", async (query, isMatch) => {
  const expected = histories.filter(isMatch).map(({ session }) => session);
  expect(await collectIds({ ...query, limit: 3, order: "session" })).toEqual(expected);
  expect(await collectIds({ ...query, limit: 3 })).toEqual(expected.toReversed());
});

test("a state that this process observes is found, although the index has another one", async () => {
  await using testHome = new ServiceTestHome();
  const dead = "host:999999:1";
  await testHome.writeHistories([
    { session: "lost", state: "working", owner: dead },
    ...histories.slice(0, 5),
    { session: "paused", state: "paused", at: start },
  ]);
  const fairlead = await testHome.open();
  await fairlead.recovery; // it cannot be attached, because it has no spool
  const { state } = await fairlead.session("lost");
  expect(["lost", "damaged"]).toContain(state);
  expect(await collectIds({ state: [state] }, fairlead)).toEqual(["lost"]);
  expect(await collectIds({ state: ["working", "idle", "waiting"] }, fairlead)).toEqual([]);
});

test.each<Record<string, unknown>>([
  { cursor: "not a cursor" },
  { cursor: Buffer.from('["s",1]').toString("base64url") },
  { cursor: Buffer.from('["s001"]').toString("base64url") }, // of the order `session`
  { state: ["asleep"] },
  { state: [] },
  { limit: 0 },
  { limit: 1.5 },
  { limit: 1001 },
  { order: "random" },
  { since: "yesterday" },
  { color: "red" },
])("rejects the query %j", async (query) => {
  await expect(sharedFairlead.sessions(query)).rejects.toMatchObject({ code: "invalid-request" });
});

test("no page, count or lookup reads rows that it does not need", async () => {
  await using testHome = new ServiceTestHome();
  await testHome.writeHistories(histories);
  const open = vi.spyOn(Runtime, "open");
  const fairlead = await testHome.open();
  const { projections } = await (open.mock.results[0]!.value as Promise<Runtime>);
  open.mockRestore();
  await projections.waitUntilComplete();
  let rowsRead = 0;
  const page = projections.page.bind(projections);
  vi.spyOn(projections, "page").mockImplementation(async (...args) => {
    const result = await page(...args);
    rowsRead += result.rows.length;
    return result;
  });
  const countRows = async (action: () => Promise<unknown>): Promise<number> => {
    rowsRead = 0;
    await action();
    return rowsRead;
  };
  expect(await countRows(() => collectIds({}, fairlead))).toBe(120); // control
  expect(await countRows(() => fairlead.sessions({ limit: 5 }))).toBe(5);
  expect(await countRows(() => fairlead.sessions({ limit: 5, state: ["paused"] }))).toBe(5);
  expect(await countRows(() => fairlead.session("n7"))).toBe(1);
  expect(await countRows(() => fairlead.health())).toBe(0);
  expect(await countRows(() => fairlead.countSessions())).toBe(0);
  expect(await countRows(() => fairlead.decisions())).toBe(0);
  expect(await fairlead.countSessions()).toEqual(
    expect.arrayContaining([{ agent: "scripted", state: "ended", count: 40 }]),
  );
});

test("a lost index is rebuilt, and a page says how many sessions it may leave out", async () => {
  await using testHome = new ServiceTestHome();
  await testHome.writeHistories(histories);
  await testHome.close(await testHome.open());
  for (const suffix of ["", "-wal", "-shm"]) rmSync(testHome.home.indexFile + suffix, { force: true });
  const fairlead = await testHome.open();
  expect(await collectIds({ order: "session" }, fairlead)).toHaveLength(120);
  expect(await fairlead.sessions()).toMatchObject({ pending: 0 });
});
