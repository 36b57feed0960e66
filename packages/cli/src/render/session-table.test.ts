import type { SessionView } from "@fairlead/api";
import { expect, it } from "vitest";
import { unpainted } from "./paint.ts";
import { sessionTable } from "./session-table.ts";

const now = Date.UTC(2026, 0, 2);
const summary: SessionView = {
  session: "54tq3r7wcpgw",
  name: null,
  agent: "tester",
  label: "Tester",
  workspace: "/w",
  mode: "default",
  model: null,
  state: "working",
  since: "2026-01-01T00:00:00.000Z",
  lead: "agent",
  continues: null,
  last: 1,
  waitingFor: [],
  reason: null,
  agentSessionId: null,
  containment: null,
  title: "a title\nthat is much too long for the width of this screen",
  turns: 2,
  startedAt: new Date(now - 120_000).toISOString(),
  lastAt: new Date(now - 60_000).toISOString(),
  cost: 0.5,
};

it("has a line for each session, cut to the width", () => {
  const stopped: SessionView = { ...summary, state: "ended", reason: "stopped", cost: null, title: "\u001b[31mred" };
  const lines = sessionTable([summary, stopped], { now, width: 80, paint: unpainted });
  expect(lines).toEqual([
    "ID            AGENT   STATE            AGE    TURNS  COST     TITLE",
    "54tq3r7wcpgw  tester  working          1 min  2      $0.5000  a title that is m…",
    "54tq3r7wcpgw  tester  ended (stopped)  1 min  2      -        red",
  ]);
});

it("has names where there are any", () => {
  const lines = sessionTable([{ ...summary, name: "fix" }, summary], { now, width: 80, paint: unpainted });
  expect(lines.map((line) => line.slice(0, 26).trimEnd())).toEqual([
    "ID            NAME  AGENT",
    "54tq3r7wcpgw  fix   tester",
    "54tq3r7wcpgw        tester",
  ]);
});
