import { ErrorCategory, type Event } from "@fairlead/contract";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { expect, test } from "vitest";
import type { AdapterEvent } from "./adapter-event.ts";
import { toShimEvents } from "./shim-events.ts";
import { findDecision, toRequestId } from "./shim-ids.ts";
import { deriveAgentStatus, initialShimState, type ShimState } from "./shim-state.ts";

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
const turnStarted = { type: "turn.started", turn: "t1", input: "Go.", origin: "user" } as const;
const turnEnded = (outcome: "completed" | "interrupted" | "failed" | "limited") =>
  ({ type: "turn.ended", turn: "t1", outcome }) as const;
const sessionEnded = (reason: "stopped" | "finished" | "failed" | "crashed" | "lost") =>
  ({ type: "session.ended", reason, exit: null }) as const;
const fileChanged = (path: string, change: "created" | "deleted" = "created") =>
  ({ type: "file.changed", path, change }) as const;

function reduceAll(...bodies: Event["body"][]): {
  state: ShimState;
  all: AdapterEvent[];
  messages: AdapterEvent["event"][];
} {
  let state = initialShimState;
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
    const result = toShimEvents(state, event, { agentId: "a", workstream: "w" });
    state = result.state;
    return result.events;
  });
  return { state, all, messages: all.map(({ event }) => event) };
}

const lastMessage = (...bodies: Event["body"][]): AdapterEvent["event"] | undefined =>
  reduceAll(...bodies).messages.at(-1);

test("a replay gives the same events, with sequences from 1 without gaps", () => {
  const bodies = [
    started,
    turnStarted,
    fileChanged("/work space/a.ts"),
    { type: "text.ended", text: "Hi." },
    turnEnded("completed"),
  ] as const;
  const { all } = reduceAll(...bodies);
  expect(reduceAll(...bodies).all).toEqual(all);
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
] as const)("a turn with the outcome %s is a completion with the outcome %s", (outcome, completion, status) => {
  expect(lastMessage(started, turnStarted, turnEnded(outcome))).toMatchObject({
    type: "completion",
    outcome: completion,
  });
  expect(deriveAgentStatus(reduceAll(started, turnStarted, turnEnded(outcome)).state)).toBe(status);
});

test("a failed turn that changed files is partial, and lists each artifact once", () => {
  const { messages } = reduceAll(
    started,
    turnStarted,
    fileChanged("/work space/a.ts"),
    fileChanged("/work space/a.ts"),
    turnEnded("failed"),
  );
  const artifacts = messages.flatMap((event) => (event.type === "artifact" ? [event] : []));
  expect(artifacts.map(({ artifactId }) => artifactId)).toEqual([artifacts[0]?.artifactId, artifacts[0]?.artifactId]);
  expect(artifacts[0]).toMatchObject({ uri: "file:///work%20space/a.ts", provenance: { sourcePath: "a.ts" } });
  expect(messages.at(-1)).toMatchObject({ outcome: "partial", artifactsProduced: [artifacts[0]?.artifactId] });
});

test("an interrupted turn is abandoned only when the session ends", () => {
  const paused = [started, turnStarted, turnEnded("interrupted"), { type: "session.paused", reason: "asked" }] as const;
  expect(reduceAll(...paused).messages.map(({ type }) => type)).not.toContain("completion");
  const { messages } = reduceAll(...paused, sessionEnded("stopped"));
  expect(messages.slice(-2)).toMatchObject([
    { type: "completion", outcome: "abandoned" },
    { type: "lifecycle", action: "killed" },
  ]);
});

test.each([
  ["stopped", "killed"],
  ["crashed", "crashed"],
  ["failed", "crashed"],
  ["lost", "crashed"],
] as const)("a session that ends with the reason %s is reported as %s", (reason, action) => {
  expect(lastMessage(started, sessionEnded(reason))).toEqual({ type: "lifecycle", action, reason, agentId: "a" });
});

test("a session that finished is reported as neither killed nor crashed", () => {
  expect(lastMessage(started, sessionEnded("finished"))?.type).toBe("status");
});

test("the plan determines the progress of a turn, and the progress of a tool call is unknown", () => {
  const plan = {
    type: "plan.updated",
    steps: [
      { text: "One", state: "done" },
      { text: "Two", state: "active" },
      { text: "Three", state: "pending" },
    ],
  } satisfies Event["body"];
  expect(lastMessage(started, turnStarted, plan)).toMatchObject({
    operationId: "t1",
    description: "Two",
    progressPct: 33,
  });
  expect(lastMessage(started, turnStarted, plan, { type: "reasoning.ended", text: "Hm." })).toMatchObject({
    progressPct: 33,
  });
  expect(lastMessage(started, turnStarted, { type: "tool.progressed", call: "c", output: "…" })).toMatchObject({
    progressPct: null,
  });
});

test("a call has the same name and input in all phases", () => {
  const request = { type: "tool.requested", call: "c", name: "run", input: "ls" } as const;
  const end = { type: "tool.ended", call: "c", name: "run", ok: false, output: "", reason: "denied" } as const;
  const common = { toolCallId: "c", toolName: "run", input: { value: "ls" } };
  expect(
    reduceAll(started, turnStarted, request, { type: "tool.started", call: "c" }).messages.slice(-2),
  ).toMatchObject([
    { ...common, phase: "requested", output: null, approved: false },
    { ...common, phase: "running", output: null, approved: true },
  ]);
  expect(lastMessage(started, turnStarted, request, end)).toMatchObject({
    ...common,
    phase: "failed",
    output: "denied",
    approved: false,
  });
});

test("a deleted file is not an artifact", () => {
  expect(lastMessage(started, turnStarted, fileChanged("a.ts", "deleted"))).toMatchObject({ type: "status" });
});

test.each(ErrorCategory.options)("an error of the category %s has a category of the protocol", (category) => {
  const error = lastMessage(started, { type: "error.raised", category, message: "No." });
  expect(error).toMatchObject({ type: "error", errorCode: category, message: "No." });
  expect(["provider", "tool", "model", "timeout", "internal"]).toContain(error?.type === "error" && error.category);
});

test("a text in parts counts as one, and a completion has its first part", () => {
  const parts = [
    { type: "text.ended", text: "One, ", part: 1 },
    { type: "text.ended", text: "two.", part: 2 },
    { type: "text.ended", text: "", part: 3, last: true },
  ] as const;
  const { state, messages } = reduceAll(started, turnStarted, ...parts, turnEnded("completed"));
  expect(state.completedParts).toBe(1);
  expect(messages.flatMap((message) => (message.type === "status" ? [message.message] : []))).toEqual([
    "One, ",
    "two.",
  ]);
  expect(messages.at(-1)).toMatchObject({ type: "completion", summary: "One, " });
});

test("a session that is resumed is not paused, before its agent runs again", () => {
  const paused = [started, turnStarted, turnEnded("interrupted"), { type: "session.paused", reason: "asked" }] as const;
  expect(deriveAgentStatus(reduceAll(...paused).state)).toBe("paused");
  expect(deriveAgentStatus(reduceAll(...paused, { type: "session.unpaused" }).state)).toBe("idle");
});

test.each<[string, (index: number) => Event["body"][]]>([
  ["calls that are open at once", (index) => [{ type: "tool.requested", call: `c${index}`, name: "run", input: {} }]],
  [
    "calls one after another",
    (index) => [
      { type: "tool.requested", call: `c${index}`, name: "run", input: {} },
      { type: "tool.started", call: `c${index}` },
      { type: "tool.ended", call: `c${index}`, name: "run", ok: true, output: "" },
    ],
  ],
  ["changed files", (index) => [fileChanged(`/f${index}`)]],
  ["steered texts", () => [{ type: "turn.steered", turn: "t1", text: "left" }]],
])("the cost of an event does not grow with the number of %s", (_, bodiesOf) => {
  const reduceMany = (count: number): unknown =>
    reduceAll(started, turnStarted, ...Array.from({ length: count }, (__, index) => bodiesOf(index)).flat());
  expect(measureGrowthExponent(reduceMany, 2000)).toBeLessThan(1.5);
});

const request = (decision: string, title: string, questionCount = 0) =>
  ({
    type: "decision.requested",
    decision,
    kind: questionCount > 0 ? "question" : "approval",
    title,
    ...(questionCount > 0 && {
      questions: Array.from({ length: questionCount }, (_, index) => ({
        text: `${title} ${index}`,
        options: [],
        multiSelect: false,
      })),
    }),
  }) as const satisfies Event["body"];
const withdrawn = (decision: string) =>
  ({
    type: "decision.resolved",
    decision,
    outcome: "canceled",
    by: { kind: "agent" },
  }) as const satisfies Event["body"];

test("no two requests have the same id, whatever ids the agent chooses, so that an answer names what was shown", () => {
  const bodies = [
    request("r1", "ls"),
    withdrawn("r1"),
    request("r1", "rm -rf"),
    withdrawn("r1"),
    request("q", "Which?", 2),
    request("q/1", "rm"), // the id of the first question
    request("q", "rm"),
    request("p/2", "ls"),
    request("p", "Which?", 2),
  ];
  // The agent can compute the id that its next request would get.
  const computed = toRequestId(reduceAll(started, ...bodies).state, bodies.length + 3, { decision: "r1" });
  expect(computed).not.toBe("r1");
  const { messages, state } = reduceAll(started, ...bodies, request(computed, "ls"), request("r1", "rm"));
  const ids = messages.flatMap((message) => (message.type === "decision" ? [message.decisionId] : []));
  expect(ids).toHaveLength(11);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toBe("r1");
  for (const [index, id] of ids.entries())
    expect(findDecision(state, id)?.details.isOpen, id).toBe(![0, 1, 2, 3].includes(index));
  expect(state.openDecisionCount).toBe(6);
  expect(deriveAgentStatus(state)).toBe("waiting_on_human");
});
