import { formatSessionState, type SessionView } from "@fairlead/api";
import { expect, it } from "vitest";
import { noPaint } from "./paint.ts";
import { sessionTable } from "./session-table.ts";

const now = Date.UTC(2026, 0, 2);
const exampleSession: SessionView = {
  session: "54tq3r7wcpgw",
  name: null,
  agent: "tester",
  agentVersion: null,
  capabilities: [],
  label: "Tester",
  workspace: "/w",
  mode: "default",
  model: null,
  state: "working",
  problem: null,
  pauseReason: null,
  pausedUntil: null,
  room: null,
  limits: null,
  nearLimits: [],
  since: "2026-01-01T00:00:00.000Z",
  lead: "agent",
  continues: null,
  last: 1,
  waitingFor: [],
  reason: null,
  agentSessionId: null,
  sandbox: { kind: "none", workspace: "write", network: "open" },
  containment: null,
  title: "a title\nthat is much too long for the width of this screen",
  queued: 0,
  turns: 2,
  lastOutcome: "completed",
  pid: null,
  activity: null,
  changes: null,
  tokens: 0,
  recentEvents: null,
  startedAt: new Date(now - 120_000).toISOString(),
  lastAt: new Date(now - 60_000).toISOString(),
  cost: 0.5,
};

it("prints one line for each session, cut to the width", () => {
  const stopped: SessionView = {
    ...exampleSession,
    state: "ended",
    reason: "stopped",
    cost: null,
    title: "\u001b[31mred",
  };
  stopped.sandbox = { kind: "bwrap", workspace: "write", network: "open" };
  const lines = sessionTable([exampleSession, stopped], { now, width: 90, paint: noPaint });
  expect(lines).toEqual([
    "ID            AGENT   STATE            SANDBOX  ACTIVE  TURNS  COST     TITLE",
    "54tq3r7wcpgw  tester  working          none     1 min   2      $0.5000  a title that is m…",
    "54tq3r7wcpgw  tester  ended (stopped)  yes      1 min   2      -        red",
  ]);
});

it.each([
  [{ kind: "bwrap", workspace: "write", network: "open" }, "yes"],
  [{ kind: "bwrap", workspace: "write", network: "gate" }, "gate"],
  [{ kind: "bwrap", workspace: "read", network: "none" }, "read-only, no network"],
  [{ kind: "none", workspace: "write", network: "open" }, "none"],
] as const)("names the limits %j of a sandbox", (sandbox, expected) => {
  const [, line = ""] = sessionTable([{ ...exampleSession, sandbox }], { now, width: 120, paint: noPaint });
  expect(line).toContain(`working  ${expected}  `);
});

it("leaves out turns and cost in a narrow terminal", () => {
  expect(sessionTable([exampleSession], { now, width: 60, paint: noPaint })).toEqual([
    "ID            AGENT   STATE    SANDBOX  ACTIVE  TITLE",
    "54tq3r7wcpgw  tester  working  none     1 min   a title tha…",
  ]);
});

it("prints names if a session has one", () => {
  const lines = sessionTable([{ ...exampleSession, name: "fix" }, exampleSession], { now, width: 80, paint: noPaint });
  expect(lines.map((line) => line.slice(0, 26).trimEnd())).toEqual([
    "ID            NAME  AGENT",
    "54tq3r7wcpgw  fix   tester",
    "54tq3r7wcpgw        tester",
  ]);
});

it("counts the messages that a pause kept", () => {
  const paused: SessionView = { ...exampleSession, state: "paused", queued: 2 };
  expect(formatSessionState(paused)).toBe("paused (2 queued)");
  expect(formatSessionState({ ...paused, lastOutcome: "failed" })).toBe("paused (failed, 2 queued)");
  expect(formatSessionState({ ...exampleSession, queued: 2 })).toBe("working");
});

it("says how the last turn ended, unless it completed or another one runs", () => {
  const stateOf = (change: Partial<SessionView>): string | undefined =>
    sessionTable([{ ...exampleSession, ...change }], { now, width: 80, paint: noPaint })[1]
      ?.slice(22, 40)
      .trimEnd();
  expect(stateOf({ state: "paused", lastOutcome: "failed" })).toMatch(/^paused \(failed\)/);
  expect(stateOf({ state: "idle", lastOutcome: "limited" })).toMatch(/^idle \(limited\)/);
  expect(stateOf({ state: "working", lastOutcome: "failed" })).toMatch(/^working {2}/);
  expect(stateOf({ state: "paused", lastOutcome: "completed" })).toMatch(/^paused {2}/);
  expect(stateOf({ state: "paused", lastOutcome: null })).toMatch(/^paused {2}/);
});

it("shows an estimate apart from the reported cost, if there is space", () => {
  const estimate = { amount: 0.25, asOf: "2026-09-23" };
  const estimated: SessionView = { ...exampleSession, cost: null, estimate, title: "t" };
  const lines = (width: number): string =>
    sessionTable([estimated, { ...estimated, cost: 2 }], { now, width, paint: noPaint }).join("\n");
  expect(lines(90)).toContain("  ~$0.2500          t");
  expect(lines(90)).toContain("  $2.00 + ~$0.2500  t");
  expect(lines(89)).not.toContain("$");
});

it("says that most of a limit is used", () => {
  expect(formatSessionState({ ...exampleSession, nearLimits: ["usd"] })).toBe("working (near limit)");
  expect(formatSessionState({ ...exampleSession, state: "idle", lastOutcome: "failed", nearLimits: ["usd"] })).toBe(
    "idle (failed, near limit)",
  );
});
