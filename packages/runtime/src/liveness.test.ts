import { adapters } from "@fairlead/adapters";
import { advance, emptyLedger, type Adapter, type AgentEvent, type SpoolRecord } from "@fairlead/contract";
import { emptyFold, Fold, type FoldState } from "@fairlead/kit";
import { expect, test } from "vitest";
import { livenessOf, type Liveness } from "./liveness.ts";

const now = 1_000_000_000;
const session = { type: "session.started" } as AgentEvent;
const turn: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const ask: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };

const lately = { heardAt: now - 59_000, toldAt: now - 299_000 };

test.each<[Liveness, readonly AgentEvent[], Partial<FoldState>]>([
  ["idle", [], {}],
  ["working", [turn], lately],
  ["silent", [turn], { ...lately, heardAt: now - 61_000 }],
  ["stuck", [turn], { ...lately, toldAt: now - 301_000 }],
  ["waiting", [turn, ask], {}],
  ["input-closed", [], { stdinClosed: true }],
  ["input-closed", [turn], { ...lately, stdinClosed: true }],
  ["input-closed", [turn, ask], { stdinClosed: true }],
])("%s", (liveness, events, change) => {
  const ledger = [session, ...events].reduce((sofar, event) => advance(sofar, event).ledger, emptyLedger);
  expect(livenessOf({ ...emptyFold, ledger, ...change }, now)).toBe(liveness);
});

test("only a process can be deaf: neither is a session whose process has ended, nor the next process", () => {
  const finding = { installed: true, program: "bash", version: "5", flags: [], auth: "none", problems: [] } as const;
  const opening = {
    session: "s",
    agent: "shell",
    adapterVersion: "1",
    workspace: "/",
    mode: "default",
    settings: {},
    finding,
    continues: null,
  };
  const fold = new Fold(adapters.find(({ manifest }) => manifest.id === "shell") as Adapter);
  let seq = 0;
  const deafAfter = (kind: SpoolRecord["kind"], text: string): boolean => {
    fold.take({ seq: (seq += 1), kind, process: 1, at: now, id: "", bytes: Buffer.from(text) });
    return fold.state.stdinClosed;
  };
  deafAfter("note", JSON.stringify({ type: "opening", opening }));
  expect(deafAfter("launch", "{}")).toBe(false);
  expect(deafAfter("hangup", "")).toBe(true);
  expect(deafAfter("exit", '{"code":0,"signal":null}')).toBe(false);
  expect(deafAfter("hangup", "")).toBe(true);
  expect(deafAfter("launch", "{}")).toBe(false);
});
