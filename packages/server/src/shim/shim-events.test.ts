import { ErrorCategory, type Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import type { AdapterEvent } from "./adapter-event.ts";
import { agentStatus } from "./agent-status.ts";
import { shimEvents } from "./shim-events.ts";
import { nothingYet, type ShimState } from "./shim-state.ts";

const started = {
  type: "session.started",
  name: null,
  agent: "scripted",
  adapterVersion: "1",
  agentVersion: null,
  protocol: "lines",
  flags: [],
  workspace: "/work space",
  mode: "default",
  continues: null,
} satisfies Event["body"];
const turn = { type: "turn.started", turn: "t1", input: "Go.", origin: "user" } as const;
const ended = (outcome: "completed" | "interrupted" | "failed" | "limited") =>
  ({ type: "turn.ended", turn: "t1", outcome }) as const;
const over = (reason: "stopped" | "finished" | "failed" | "crashed" | "lost") =>
  ({ type: "session.ended", reason, exit: null }) as const;
const file = (path: string, change: "created" | "deleted" = "created") =>
  ({ type: "file.changed", path, change }) as const;

function fold(...bodies: Event["body"][]): { state: ShimState; all: AdapterEvent[]; told: AdapterEvent["event"][] } {
  let state = nothingYet;
  const all = bodies.flatMap((body, index) => {
    const sequence = index + 1;
    const envelope = {
      session: "s",
      sequence,
      epoch: 1,
      turn: null,
      agent: "scripted",
      model: null,
      spool: sequence,
    };
    const event = { id: `s-${sequence}`, ...envelope, occurredAt: "2026-01-01T00:00:00Z", synthetic: false, body };
    const step = shimEvents(state, event, { agentId: "a", workstream: "w" });
    state = step.state;
    return step.events;
  });
  return { state, all, told: all.map(({ event }) => event) };
}

const last = (...bodies: Event["body"][]): AdapterEvent["event"] | undefined => fold(...bodies).told.at(-1);

test("told twice it is the same, numbered from 1 without a gap", () => {
  const bodies = [
    started,
    turn,
    file("/work space/a.ts"),
    { type: "text.ended", text: "Hi." },
    ended("completed"),
  ] as const;
  const { all } = fold(...bodies);
  expect(fold(...bodies).all).toEqual(all);
  expect(all.map(({ sourceSequence }) => sourceSequence)).toEqual(all.map((_, index) => index + 1));
  expect(new Set(all.map(({ sourceEventId }) => sourceEventId)).size).toBe(all.length);
  for (const { sourceEventId, runId } of all) {
    for (const id of [sourceEventId, runId])
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test.each([
  ["completed", "success", "completed"],
  ["limited", "max_turns", "completed"],
  ["failed", "abandoned", "error"],
] as const)("a turn that is %s is a completion: %s", (outcome, told, status) => {
  expect(last(started, turn, ended(outcome))).toMatchObject({ type: "completion", outcome: told });
  expect(agentStatus(fold(started, turn, ended(outcome)).state)).toBe(status);
});

test("a turn that failed after something was made is partial, and names what was made once", () => {
  const { told } = fold(started, turn, file("/work space/a.ts"), file("/work space/a.ts"), ended("failed"));
  const artifacts = told.flatMap((event) => (event.type === "artifact" ? [event] : []));
  expect(artifacts.map(({ artifactId }) => artifactId)).toEqual([artifacts[0]?.artifactId, artifacts[0]?.artifactId]);
  expect(artifacts[0]).toMatchObject({ uri: "file:///work%20space/a.ts", provenance: { sourcePath: "a.ts" } });
  expect(told.at(-1)).toMatchObject({ outcome: "partial", artifactsProduced: [artifacts[0]?.artifactId] });
});

test("an interrupted turn is abandoned only when the session ends", () => {
  const paused = [started, turn, ended("interrupted"), { type: "session.paused", reason: "asked" }] as const;
  expect(fold(...paused).told.map(({ type }) => type)).not.toContain("completion");
  const { told } = fold(...paused, over("stopped"));
  expect(told.slice(-2)).toMatchObject([
    { type: "completion", outcome: "abandoned" },
    { type: "lifecycle", action: "killed" },
  ]);
});

test.each([
  ["stopped", "killed"],
  ["crashed", "crashed"],
  ["failed", "crashed"],
  ["lost", "crashed"],
] as const)("a session that is %s was %s", (reason, action) => {
  expect(last(started, over(reason))).toEqual({ type: "lifecycle", action, reason, agentId: "a" });
});

test("one that ended by itself was neither killed nor crashed", () => {
  expect(last(started, over("finished"))?.type).toBe("status");
});

test("how far a turn is, is told by its plan; of a tool that runs, nobody knows", () => {
  const plan = {
    type: "plan.updated",
    steps: [
      { text: "One", state: "done" },
      { text: "Two", state: "active" },
      { text: "Three", state: "pending" },
    ],
  } satisfies Event["body"];
  expect(last(started, turn, plan)).toMatchObject({ operationId: "t1", description: "Two", progressPct: 33 });
  expect(last(started, turn, plan, { type: "reasoning.ended", text: "Hm." })).toMatchObject({ progressPct: 33 });
  expect(last(started, turn, { type: "tool.progressed", call: "c", output: "…" })).toMatchObject({ progressPct: null });
});

test("a call keeps its name and its input through all phases", () => {
  const request = { type: "tool.requested", call: "c", name: "run", input: "ls" } as const;
  const end = { type: "tool.ended", call: "c", name: "run", ok: false, output: "", reason: "denied" } as const;
  const common = { toolCallId: "c", toolName: "run", input: { value: "ls" } };
  expect(fold(started, turn, request, { type: "tool.started", call: "c" }).told.slice(-2)).toMatchObject([
    { ...common, phase: "requested", output: null, approved: false },
    { ...common, phase: "running", output: null, approved: true },
  ]);
  expect(last(started, turn, request, end)).toMatchObject({
    ...common,
    phase: "failed",
    output: "denied",
    approved: false,
  });
});

test("a deleted file is no artifact", () => {
  expect(last(started, turn, file("a.ts", "deleted"))).toMatchObject({ type: "status" });
});

test.each(ErrorCategory.options)("an error of the category %s has one of the protocol's", (category) => {
  const error = last(started, { type: "error.raised", category, message: "No." });
  expect(error).toMatchObject({ type: "error", errorCode: category, message: "No." });
  expect(["provider", "tool", "model", "timeout", "internal"]).toContain(error?.type === "error" && error.category);
});
