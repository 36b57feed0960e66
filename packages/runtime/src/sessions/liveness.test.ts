import { adapters } from "@fairlead/adapters";
import { advance, emptyLedger, type Adapter, type AgentEvent, type SpoolRecord } from "@fairlead/contract";
import { initialSessionState, SessionReducer, type SessionState } from "@fairlead/reducer";
import { expect, test } from "vitest";
import { livenessOf, type Liveness } from "./liveness.ts";

const now = 1_000_000_000;
const sessionStarted = { type: "session.started" } as AgentEvent;
const turnStarted: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const decisionRequested: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };

const recentActivity = { lastOutputAt: now - 59_000, lastEventAt: now - 299_000 };

test.each<[Liveness, readonly AgentEvent[], Partial<SessionState>]>([
  ["idle", [], {}],
  ["working", [turnStarted], recentActivity],
  ["silent", [turnStarted], { ...recentActivity, lastOutputAt: now - 61_000 }],
  ["stuck", [turnStarted], { ...recentActivity, lastEventAt: now - 301_000 }],
  // The turn has just started: what was before it is no silence.
  ["working", [turnStarted], { awaitingOutputSince: now - 1000 }],
  ["working", [turnStarted], { awaitingOutputSince: now - 1000, lastOutputAt: now - 900_000, lastEventAt: 1 }],
  ["silent", [turnStarted], { awaitingOutputSince: now - 61_000 }],
  ["stuck", [turnStarted], { awaitingOutputSince: now - 301_000, lastOutputAt: now - 1000 }],
  ["waiting", [turnStarted, decisionRequested], {}],
  ["input-closed", [], { stdinClosed: true }],
  ["input-closed", [turnStarted], { ...recentActivity, stdinClosed: true }],
  ["input-closed", [turnStarted, decisionRequested], { stdinClosed: true }],
])("%s", (liveness, events, change) => {
  const ledger = [sessionStarted, ...events].reduce((previous, event) => advance(previous, event).ledger, emptyLedger);
  expect(livenessOf({ ...initialSessionState, ledger, ...change }, now)).toBe(liveness);
});

test("stdinClosed is reset when the process exits and when the next one is launched", () => {
  const probeResult = {
    installed: true,
    program: "bash",
    version: "5",
    flags: [],
    auth: "none",
    problems: [],
  } as const;
  const opening = {
    session: "s",
    agent: "shell",
    adapterVersion: "1",
    workspace: "/",
    mode: "default",
    settings: {},
    probeResult,
    continues: null,
  };
  const reducer = new SessionReducer(adapters.find(({ manifest }) => manifest.id === "shell") as Adapter);
  let seq = 0;
  const isStdinClosedAfter = (kind: SpoolRecord["kind"], text: string): boolean => {
    reducer.reduce({ seq: (seq += 1), kind, process: 1, at: now, id: "", bytes: Buffer.from(text) });
    return reducer.state.stdinClosed;
  };
  isStdinClosedAfter("note", JSON.stringify({ type: "opening", opening }));
  expect(isStdinClosedAfter("launch", "{}")).toBe(false);
  expect(isStdinClosedAfter("stdin-closed", "")).toBe(true);
  expect(isStdinClosedAfter("exit", '{"code":0,"signal":null}')).toBe(false);
  expect(isStdinClosedAfter("stdin-closed", "")).toBe(true);
  expect(isStdinClosedAfter("launch", "{}")).toBe(false);
});
