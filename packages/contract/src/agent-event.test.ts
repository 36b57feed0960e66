import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { AgentEvent, type AgentEventType, type EventOf } from "./agent-event.ts";
import { Event } from "./event.ts";

const tokens = { uncached: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 0 };

/** One example of every event, with every field that it can have. The type sees to it that none is missing. */
const examples: { readonly [Type in AgentEventType]: Required<EventOf<Type>> } = {
  "session.started": {
    type: "session.started",
    name: "greeter",
    agent: "made-up",
    adapterVersion: "1.0.0",
    agentVersion: "2.0.0",
    protocol: "lines",
    flags: [],
    workspace: "/w",
    mode: "plan",
    continues: { session: "s0", agentSessionId: "n0", outcome: "native", fork: true },
  },
  "session.changed": {
    type: "session.changed",
    agentSessionId: "n",
    model: "m",
    mode: "default",
    containment: "namespace",
    transcript: { bytes: 12, digest: "d", extends: true },
  },
  "session.paused": { type: "session.paused", reason: "asked" },
  "session.resumed": { type: "session.resumed", outcome: "native", agentSessionId: "n" },
  "session.ended": { type: "session.ended", reason: "crashed", exit: { code: 1, signal: "SIGTERM" } },
  "lead.changed": { type: "lead.changed", lead: "human" },
  "turn.started": { type: "turn.started", turn: "t", input: "do", origin: "user" },
  "turn.steered": { type: "turn.steered", turn: "t", text: "and this" },
  "turn.ended": { type: "turn.ended", turn: "t", outcome: "completed" },
  "text.ended": { type: "text.ended", text: "hello", parent: "c" },
  "reasoning.ended": { type: "reasoning.ended", text: "hm", parent: "c" },
  "plan.updated": { type: "plan.updated", steps: [{ text: "first this", state: "active" }] },
  "context.injected": { type: "context.injected", text: "by the way" },
  "context.compacted": { type: "context.compacted", trigger: "asked" },
  "tool.requested": { type: "tool.requested", call: "c", name: "Bash", input: { command: "ls" }, parent: "b" },
  "tool.started": { type: "tool.started", call: "c" },
  "tool.progressed": { type: "tool.progressed", call: "c", output: "." },
  "tool.ended": { type: "tool.ended", call: "c", name: "Bash", ok: false, output: "no", reason: "failed" },
  "file.changed": { type: "file.changed", path: "a.txt", change: "created", call: "c" },
  "decision.requested": {
    type: "decision.requested",
    decision: "d",
    kind: "question",
    title: "Which?",
    call: "c",
    tool: "Ask",
    input: { a: 1 },
    questions: [{ text: "Which?", options: [{ label: "this", description: "or that" }], several: false }],
  },
  "decision.resolved": {
    type: "decision.resolved",
    decision: "d",
    outcome: "allowed",
    by: "user",
    input: { a: 2 },
    message: "yes",
    answers: { "Which?": "this" },
  },
  "usage.reported": {
    type: "usage.reported",
    provider: "p",
    model: "m",
    tokens,
    cost: { amount: 0.25, currency: "USD" },
    provenance: "reported",
  },
  "status.reported": { type: "status.reported", level: "info", message: "so" },
  "error.raised": { type: "error.raised", category: "agent-died", message: "oh" },
  unrecognized: { type: "unrecognized", reason: "why", raw: "?" },
};

const event: Event = {
  id: "s/1.0",
  session: "s",
  sequence: 1,
  epoch: 1,
  turn: "t",
  occurredAt: "2026-01-01T00:00:00.000Z",
  agent: "made-up",
  model: "m",
  spool: 1,
  synthetic: false,
  body: examples["text.ended"],
};

/** Which fields may be left out, and which may be null; all others must be there. */
const optional: Readonly<Record<string, readonly string[]>> = {
  "session.started": ["name", "continues.outcome", "continues.fork"],
  "session.changed": ["agentSessionId", "model", "mode", "containment", "transcript"],
  "text.ended": ["parent"],
  "reasoning.ended": ["parent"],
  "tool.requested": ["parent"],
  "tool.ended": ["reason"],
  "file.changed": ["call"],
  "decision.requested": ["call", "tool", "input", "questions", "questions.0.options.0.description"],
  "decision.resolved": ["input", "message", "answers", "answers.Which?"],
};
const nullable: Readonly<Record<string, readonly string[]>> = {
  "session.started": ["name", "agentVersion", "continues", "continues.agentSessionId"],
  "session.resumed": ["agentSessionId"],
  "session.ended": ["exit", "exit.code", "exit.signal"],
  "usage.reported": ["cost"],
};
/** These have an input, and an input is the agent's own business: anything at all. */
const withInput = ["tool.requested", "decision.requested", "decision.resolved"];

type Plain = Readonly<Record<string, unknown>>;
const isPlain = (value: unknown): value is Plain => typeof value === "object" && value !== null;

/** The path of every field, at any depth. */
function pathsOf(value: unknown, above = ""): string[] {
  if (!isPlain(value)) return [];
  return Object.keys(value).flatMap((key) => [`${above}${key}`, ...pathsOf(value[key], `${above}${key}.`)]);
}

/** A copy with one field changed, added or (without a value) left out. */
function changed(value: unknown, path: string, ...[to]: [unknown?]): Plain {
  const copy = structuredClone(value) as Plain;
  const keys = path.split(".");
  const last = keys.pop() as string;
  const holder = keys.reduce<Plain>((at, key) => at[key] as Plain, copy) as Record<string, unknown>;
  if (to === undefined) delete holder[last];
  else holder[last] = to;
  return copy;
}

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe.each(Object.entries(examples))("%s", (type, example) => {
  const paths = pathsOf(example).filter((path) => !path.startsWith("input."));

  test("is taken as it is", () => {
    expect(AgentEvent.parse(example)).toStrictEqual(example);
    expect(Event.parse({ ...event, body: example })).toStrictEqual({ ...event, body: example });
  });

  test("must have its fields, but for those that it may go without", () => {
    const without = paths.filter((path) => accepts(AgentEvent, changed(example, path)));
    expect(without).toEqual([...(optional[type] ?? [])]);
  });

  test("takes no field for what it is not", () => {
    const odd = { odd: true };
    const untyped = paths.filter((path) => accepts(AgentEvent, changed(example, path, odd)));
    expect(untyped).toEqual(withInput.includes(type) ? ["input"] : []);
    const empty = paths.filter((path) => accepts(AgentEvent, changed(example, path, null)));
    expect(empty.filter((path) => !untyped.includes(path))).toEqual([...(nullable[type] ?? [])]);
  });

  test("takes no field that it does not know, at any depth", () => {
    const holders = ["", ...paths.filter((path) => isHolder(example, path)).map((path) => `${path}.`)];
    for (const holder of holders) expect(accepts(AgentEvent, changed(example, `${holder}odd`, "x"))).toBe(false);
  });
});

/** Whether there is an object with named fields at a path: not a list, nor a dictionary. */
function isHolder(value: unknown, path: string): boolean {
  const found = path.split(".").reduce<unknown>((at, key) => (at as Plain)[key], value);
  return isPlain(found) && !Array.isArray(found) && path !== "input" && path !== "answers";
}

test("the examples are the whole union", () => {
  const types = AgentEvent.options.map((option) => option.shape.type.value);
  expect(Object.keys(examples)).toEqual(types);
  expect(new Set(types).size).toBe(types.length);
  expect(accepts(AgentEvent, { type: "text.delta", text: "on its way" })).toBe(false);
});

/** The words of the contract. Somebody elsewhere decides by each of them. */
const words: readonly [AgentEventType, string, readonly string[]][] = [
  ["session.started", "mode", ["default", "accept-edits", "plan", "full-auto", "dangerously-skip-permissions"]],
  ["session.started", "continues.outcome", ["native", "rebuilt", "fresh"]],
  ["session.paused", "reason", ["asked", "idle"]],
  ["session.resumed", "outcome", ["attached", "native", "rebuilt", "fresh"]],
  ["session.ended", "reason", ["stopped", "finished", "failed", "crashed", "lost"]],
  ["turn.started", "origin", ["user", "agent"]],
  ["turn.ended", "outcome", ["completed", "interrupted", "failed", "limited"]],
  ["plan.updated", "steps.0.state", ["pending", "active", "done"]],
  ["context.compacted", "trigger", ["asked", "automatic"]],
  ["tool.ended", "reason", ["failed", "denied", "interrupted", "unfinished"]],
  ["file.changed", "change", ["created", "modified", "deleted"]],
  ["decision.requested", "kind", ["approval", "question"]],
  ["decision.resolved", "outcome", ["allowed", "denied", "answered", "canceled", "timed-out"]],
  ["decision.resolved", "by", ["user", "mode", "agent", "runtime"]],
  ["usage.reported", "provenance", ["reported", "derived", "estimated", "unknown"]],
  ["usage.reported", "cost.currency", ["USD"]],
  ["status.reported", "level", ["info", "warning"]],
  [
    "error.raised",
    "category",
    (
      "bad-request not-authenticated rate-limited provider-failed unreachable connection-lost limit-reached " +
      "session-not-found not-started agent-died timed-out command-failed not-allowed unknown"
    ).split(" "),
  ],
];

test.each(words)("%s: the words for %s are closed", (type, path, known) => {
  const taken = known.filter((word) => accepts(AgentEvent, changed(examples[type], path, word)));
  expect(taken).toEqual(known);
  for (const word of ["", "odd"]) expect(accepts(AgentEvent, changed(examples[type], path, word))).toBe(false);
});

test.each(Object.keys(tokens))("%s tokens are counted in whole numbers from 0", (bucket) => {
  const usage = examples["usage.reported"];
  const counted = [0, 1, -1, 0.5].filter((count) => accepts(AgentEvent, changed(usage, `tokens.${bucket}`, count)));
  expect(counted).toEqual([0, 1]);
});

test("an exit code is a whole number", () => {
  expect(accepts(AgentEvent, changed(examples["session.ended"], "exit.code", 1.5))).toBe(false);
});

test("an envelope has all of its fields and no other, and only turn and model may be null", () => {
  const fields = Object.keys(event);
  expect(fields.filter((field) => accepts(Event, changed(event, field)))).toEqual([]);
  expect(fields.filter((field) => accepts(Event, changed(event, field, { odd: true })))).toEqual([]);
  expect(fields.filter((field) => accepts(Event, changed(event, field, null)))).toEqual(["turn", "model"]);
  expect(accepts(Event, { ...event, odd: 1 })).toBe(false);
});

test.each(["sequence", "epoch", "spool"])("the %s of an envelope is counted from 1", (field) => {
  expect([1, 2, 0, -1, 1.5].filter((count) => accepts(Event, changed(event, field, count)))).toEqual([1, 2]);
});

test("the time of an envelope is a date and a time in universal time", () => {
  const times = ["2026-01-01T00:00:00.000Z", "2026-01-01", "yesterday", "2026-13-01T00:00:00.000Z"];
  expect(times.filter((time) => accepts(Event, changed(event, "occurredAt", time)))).toEqual([times[0]]);
});
