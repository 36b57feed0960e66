import type { SessionRow } from "@fairlead/journal";
import { compareRows, matchesRowQuery, type SessionRowQuery } from "@fairlead/journal";
import { expect, test } from "vitest";
import { MemoryRows } from "./memory-rows.ts";
import { decodeRow, encodeRow, type PackedRow } from "./row-value.ts";

const size = 20_000;

function createRow(n: number, change = 0): SessionRow {
  const random = Math.imul(n + 1, 2_654_435_761) >>> 0;
  const lastAt = new Date(Date.UTC(2026, 0, 1) + (random % 5_000_000) * 1_000 + change).toISOString();
  const state = ["idle", "waiting", "ended"][(n + change) % 3] ?? "";
  return {
    session: random.toString(36),
    epoch: 1,
    last: change,
    owner: "owner",
    state,
    unfinished: state !== "ended",
    name: n % 4 === 0 ? `name ${n % 1_000}` : null,
    agent: `agent ${n % 3}`,
    workspace: `/w/${n % 40}`,
    continues: n % 50 === 0 ? `s${n % 5}` : null,
    agentSessionId: `${n}`,
    startedAt: lastAt,
    lastAt,
    content: "{}".padEnd(n % 2_000),
  };
}

const pack = (row: SessionRow): PackedRow => {
  const packed = decodeRow(row.session, encodeRow(row, 1), 1);
  if (packed === undefined) throw new Error("The row was not decoded.");
  return packed;
};

const prefix = createRow(17).session.slice(0, 2);
const until = createRow(99).lastAt;
const queries: readonly SessionRowQuery[] = [
  {},
  { states: ["waiting"] },
  { states: ["waiting", "ended", "waiting"] },
  { states: [] },
  { unfinished: true },
  { unfinished: false },
  { agent: "agent 1", unfinished: true, states: ["idle"] },
  { name: "name 8" },
  { agentSessionId: "77" },
  { continues: "s0" },
  { workspace: "/w/3", states: ["ended"] },
  { prefix },
  { prefix, states: ["idle"] },
  { until },
  { since: until },
  { since: until, until },
  { agent: "agent 2", since: until, unfinished: true },
];

test("pages and counts of 20,000 rows are those of the model, also after changes", () => {
  const rows = new MemoryRows();
  const model: (PackedRow | undefined)[] = Array.from({ length: size }, (_, n) => pack(createRow(n)));
  rows.fill(model.filter((row) => row !== undefined));
  for (let change = 1; change <= 4_000; change++) {
    const n = (change * 7_919) % size;
    const before = model[n];
    const after = change % 10 === 0 ? undefined : pack(createRow(n, change));
    rows.replace(before, after);
    model[n] = after;
  }
  const existing = model.filter((row) => row !== undefined);
  expect(rows.size).toBe(existing.length);
  const times: number[] = [];
  for (const query of queries) {
    const matching = existing.filter((row) => matchesRowQuery({ ...row, content: "" }, query));
    const count = rows.count(query).reduce((sum, each) => sum + each.count, 0);
    expect(count, JSON.stringify(query)).toBe(matching.length);
    for (const order of ["activity", "session"] as const) {
      const sorted = matching.toSorted(compareRows(order));
      for (const start of [0, 1, 150, matching.length - 5]) {
        const after = sorted[start - 1];
        const begin = performance.now();
        const page = rows.select({ query, order, after, limit: 101 });
        times.push(performance.now() - begin);
        const expected = sorted.slice(Math.max(0, after === undefined ? 0 : start)).slice(0, 101);
        expect(page, `${JSON.stringify(query)} ${order} ${start}`).toEqual(expected);
      }
    }
  }
  const sortedTimes = times.toSorted((a, b) => a - b);
  const show = (share: number): string => (sortedTimes[Math.floor((times.length - 1) * share)] ?? 0).toFixed(2);
  console.log(`${times.length} pages of ${size} rows: median ${show(0.5)} ms, p99 ${show(0.99)}, max ${show(1)}`);
});
