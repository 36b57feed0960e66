import { addTokenCounts, type AgentEvent, zeroTokenCounts } from "@fairlead/contract";
import type { HistoryOptions } from "@fairlead/testing/runtime/write-history.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";
import { HistoryRange } from "./history-range.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const timeOf = (hour: number): string => new Date(start + hour * hourMs).toISOString();

/** Reports of two models, of which only every second has a cost, in one turn. */
function bodies(reports: number): AgentEvent[] {
  const report = (index: number): AgentEvent => ({
    type: "usage.reported",
    provider: "p",
    model: index % 3 === 0 ? "large" : "small",
    tokens: { uncached: index, cacheRead: 10, cacheWrite: 0, output: 1, reasoning: 0 },
    cost: index % 2 === 0 ? { amount: 0.5, currency: "USD" } : null,
    provenance: index === 4 ? "estimated" : "reported",
  });
  return [
    { type: "turn.started", turn: "t", input: "Work.", origin: "user" },
    ...Array.from({ length: reports }, (_, index) => report(index)),
    { type: "turn.ended", turn: "t", outcome: "failed" },
    { type: "session.ended", reason: "stopped", exit: null },
  ];
}

const histories = Array.from({ length: 12 }, (_, index): HistoryOptions => {
  const workspace = `/w${index % 3}`;
  return {
    session: `s${index}`,
    agent: "scripted",
    at: start + index * hourMs,
    stepMs: hourMs,
    workspace,
    bodies: bodies(9),
  };
});

test("the sums over all hours and days are those of the sessions", async () => {
  await using testHome = new ServiceTestHome();
  await testHome.writeHistories(histories);
  const fairlead = await testHome.open();
  const usage = await fairlead.usage();
  const expected = usage.reduce((sum, { tokens }) => addTokenCounts(sum, tokens), zeroTokenCounts);
  const cost = usage.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  for (const by of ["hour", "day"] as const) {
    const buckets = await fairlead.usageHistory({ by, from: timeOf(0), to: timeOf(48) });
    expect(buckets.reduce((sum, { tokens }) => addTokenCounts(sum, tokens), zeroTokenCounts)).toEqual(expected);
    expect(buckets.reduce((sum, one) => sum + (one.cost ?? 0), 0)).toBeCloseTo(cost);
    expect(buckets.reduce((sum, { turns }) => sum + turns, 0)).toBe(2 * histories.length);
    expect(buckets.map(({ start: at }) => at)).toEqual(buckets.map(({ start: at }) => at).toSorted());
  }
  const days = await fairlead.usageHistory({ by: "day", from: timeOf(0), to: timeOf(24) });
  expect(days.filter(({ model }) => model === "large")).toMatchObject(
    ["/w0", "/w1", "/w2"].map((workspace) => ({ start: timeOf(0), workspace, sessions: 4, provenance: "reported" })),
  );
  expect(days.find(({ model }) => model === "small")).toMatchObject({ provenance: "estimated" });
  // The first report of session 0 is in hour 2, and the session's last one is in hour 10.
  const [first] = await fairlead.usageHistory({ by: "hour", from: timeOf(2), to: timeOf(3) });
  expect(first).toMatchObject({ start: timeOf(2), workspace: "/w0", sessions: 1, turns: 1, cost: 0.5 });
  expect(await fairlead.usageHistory({ by: "hour", from: timeOf(0), to: timeOf(2) })).toEqual([]);
  expect(await fairlead.usageHistory({ by: "hour", from: timeOf(24), to: timeOf(48) })).toEqual([]);
});

/** A session whose request is open since two hours after its start. */
function waitingSince(at: number): HistoryOptions {
  const request: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "Run it?" };
  const bodies: AgentEvent[] = [{ type: "turn.started", turn: "t", input: "Work.", origin: "user" }, request];
  return { session: "waits", agent: "scripted", at, stepMs: hourMs, workspace: "/w3", bodies };
}

test("turns and waits of sessions are summed by agent and workspace", async () => {
  const now = Math.floor(Date.now() / hourMs) * hourMs;
  await using testHome = new ServiceTestHome();
  await testHome.writeHistories([...histories, waitingSince(now - 12 * hourMs)]);
  const fairlead = await testHome.open();
  const days = await fairlead.turnHistory({ by: "day", from: timeOf(0), to: timeOf(24) });
  expect(days).toMatchObject([
    { start: timeOf(0), agent: "scripted", workspace: "/w0", turns: 4, failed: 4, interrupted: 0, waitedMs: 0 },
    { workspace: "/w1" },
    { workspace: "/w2" },
  ]);
  // The request is open since ten hours, and the range begins after the last event of its session.
  const from = new Date(now - 3 * hourMs).toISOString();
  const hours = await fairlead.turnHistory({ by: "hour", from, to: new Date(now).toISOString() });
  expect(hours.map(({ workspace, waitedMs }) => [workspace, waitedMs])).toEqual([1, 2, 3].map(() => ["/w3", hourMs]));
});

test("refuses a range that is empty or too long", async () => {
  const at = (by: "hour" | "day", hours: number): HistoryRange =>
    new HistoryRange({ by, from: timeOf(0), to: timeOf(hours) }, start);
  expect(() => at("hour", 31 * 24)).not.toThrow();
  expect(() => at("hour", 31 * 24 + 1)).toThrow("at most 31 days");
  expect(() => at("day", 400 * 24)).not.toThrow();
  expect(() => at("day", 400 * 24 + 1)).toThrow("at most 400 days");
  expect(() => at("day", 0)).toThrow("before the end");
  expect(new HistoryRange({ by: "day" }, start).from).toBe(timeOf(-30 * 24));
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  await expect(fairlead.usageHistory({ by: "week" } as never)).rejects.toMatchObject({ code: "invalid-request" });
});
