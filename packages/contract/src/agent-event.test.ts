import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { AgentEvent, type AgentEventType, type EventOf } from "./agent-event.ts";
import { Event } from "./event.ts";

const tokens = { uncached: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 0 };

/** One example of every event, with all of its fields. The type guarantees that none is missing. */
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
    rooms: { web: ["packages/web"] },
    room: "web",
    brief: { title: "Fix it", goal: "It works.", constraints: ["no"], acceptance: ["yes"], room: "web" },
    sandbox: {
      kind: "bwrap",
      workspace: "write",
      writes: ["/home/me/.agent"],
      protects: [],
      hides: ["/home/me/.ssh"],
      shows: [],
      network: "none",
    },
    limits: { usd: 2, tokens: 400_000, seconds: 1800 },
    tools: ["ask_person"],
    parent: { session: "p", depth: 1 },
    copy: { workspace: "/w", branch: "fairlead/one", base: "0123" },
    policy: { sources: [{ source: "x", rules: 1, grants: 2 }], digest: "d", unattended: "deny", deadlineSeconds: 60 },
  },
  "session.changed": {
    type: "session.changed",
    agentSessionId: "n",
    model: "m",
    mode: "default",
    containment: "namespace",
    transcript: { bytes: 12, digest: "d", extends: true },
    limits: { usd: 4 },
  },
  "session.paused": { type: "session.paused", reason: "asked", until: "2026-11-17T20:00:00.000Z" },
  "session.unpaused": { type: "session.unpaused" },
  "session.resumed": { type: "session.resumed", outcome: "native", agentSessionId: "n" },
  "session.ended": { type: "session.ended", reason: "crashed", exit: { code: 1, signal: "SIGTERM" } },
  "lead.changed": { type: "lead.changed", lead: "human" },
  "message.queued": { type: "message.queued", turn: "t", text: "do" },
  "message.returned": { type: "message.returned", turn: "t", text: "do", reason: "stopped" },
  "turn.started": { type: "turn.started", turn: "t", input: "do", origin: "user", source: "transcript" },
  "turn.steered": { type: "turn.steered", turn: "t", text: "and this" },
  "turn.ended": { type: "turn.ended", turn: "t", outcome: "completed" },
  "text.ended": { type: "text.ended", text: "hello", part: 2, last: true, parent: "c" },
  "reasoning.ended": { type: "reasoning.ended", text: "hm", part: 2, last: true, parent: "c" },
  "plan.updated": { type: "plan.updated", steps: [{ text: "first this", state: "active" }] },
  "context.injected": { type: "context.injected", text: "by the way" },
  "brief.updated": {
    type: "brief.updated",
    brief: { title: "Fix it", goal: "It works.", constraints: [], acceptance: [] },
  },
  "context.compacted": { type: "context.compacted", trigger: "asked" },
  "tool.requested": {
    type: "tool.requested",
    call: "c",
    name: "Bash",
    input: { command: "ls" },
    action: { kind: "run", command: "ls", folder: "/w/src", incomplete: true },
    parent: "b",
  },
  "tool.started": { type: "tool.started", call: "c", enforcement: "gated" },
  "tool.progressed": { type: "tool.progressed", call: "c", output: ".", elapsedSeconds: 1.5 },
  "tool.ended": { type: "tool.ended", call: "c", name: "Bash", ok: false, output: "no", reason: "failed" },
  "file.changed": {
    type: "file.changed",
    path: "a.txt",
    change: "created",
    call: "c",
    source: "observed",
    attribution: "call",
  },
  "progress.reported": { type: "progress.reported", text: "half of it", percent: 50 },
  "artifact.produced": { type: "artifact.produced", path: "a.md", kind: "document", bytes: 7, summary: "the plan" },
  "decision.requested": {
    type: "decision.requested",
    decision: "d",
    kind: "question",
    title: "Which?",
    call: "c",
    tool: "Ask",
    input: { a: 1 },
    action: { kind: "fetch", hosts: ["example.com"] },
    questions: [{ text: "Which?", options: [{ label: "this", description: "or that" }], multiSelect: false }],
    options: [{ id: "o", label: "Always", scope: "always" }],
    category: "merge",
    reading: {
      verdict: "ask",
      reason: "It updates a shared ref.",
      rule: { source: "x", number: 1, grant: true },
      commands: ["git push"],
      omittedCommands: 2,
      grants: [{ command: "git push", categories: ["merge"] }],
    },
    deadline: "2026-01-01T00:00:00.000Z",
    digest: "d",
  },
  "decision.resolved": {
    type: "decision.resolved",
    decision: "d",
    outcome: "allowed",
    by: { kind: "person" },
    input: { a: 2 },
    message: "yes",
    remember: "session",
    option: "o",
    answers: { "Which?": "this" },
  },
  "network.judged": {
    type: "network.judged",
    host: "example.com",
    port: 443,
    verdict: "refused",
    rule: "unlisted",
    enforcedBy: "gate",
  },
  "usage.reported": {
    type: "usage.reported",
    provider: "p",
    model: "m",
    tokens,
    cost: { amount: 0.25, currency: "USD" },
    provenance: "reported",
  },
  "quota.reported": {
    type: "quota.reported",
    status: "exhausted",
    window: "five_hour",
    usedPercent: 100,
    resetsAt: "2026-11-17T17:00:00.000Z",
  },
  "status.reported": { type: "status.reported", level: "info", message: "so", announces: "compaction" },
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

/** Fields that may be missing, and fields that may be null. All others are required. */
const optional: Readonly<Record<string, readonly string[]>> = {
  "tool.started": ["enforcement"],
  "turn.started": ["source"],
  "session.started": [
    "name",
    "continues.outcome",
    "continues.fork",
    "rooms",
    "rooms.web",
    "room",
    "brief",
    "brief.constraints",
    "brief.acceptance",
    "brief.room",
    "sandbox",
    "limits",
    "limits.usd",
    "limits.tokens",
    "limits.seconds",
    "tools",
    "parent",
    "copy",
    "policy",
    "policy.sources.0.grants",
    "policy.deadlineSeconds",
  ],
  "session.changed": ["agentSessionId", "model", "mode", "containment", "transcript", "limits", "limits.usd"],
  "session.paused": ["until"],
  "brief.updated": ["brief.constraints", "brief.acceptance"],
  "quota.reported": ["window", "usedPercent", "resetsAt"],
  "status.reported": ["announces"],
  "progress.reported": ["percent"],
  "artifact.produced": ["summary"],
  "text.ended": ["part", "last", "parent"],
  "reasoning.ended": ["part", "last", "parent"],
  "tool.requested": ["action", "action.command", "action.folder", "action.incomplete", "parent"],
  "tool.progressed": ["elapsedSeconds"],
  "tool.ended": ["reason"],
  "file.changed": ["call", "source", "attribution"],
  "decision.requested": [
    "call",
    "tool",
    "input",
    "action",
    "action.hosts",
    "questions",
    "questions.0.options.0.description",
    "options",
    "options.0.scope",
    "category",
    "reading",
    "reading.rule.grant",
    "reading.omittedCommands",
    "reading.grants",
    "reading.grants.0.categories",
    "deadline",
    "digest",
  ],
  "decision.resolved": ["input", "message", "remember", "option", "answers", "answers.Which?"],
};
const nullable: Readonly<Record<string, readonly string[]>> = {
  "session.started": ["name", "agentVersion", "continues", "continues.agentSessionId"],
  "session.resumed": ["agentSessionId"],
  "decision.requested": ["reading.rule"],
  "session.ended": ["exit", "exit.code", "exit.signal"],
  "usage.reported": ["cost"],
};
/** Events with an input. An input is defined by the agent, so any value is valid. */
const withInput = ["tool.requested", "decision.requested", "decision.resolved"];

type JsonObject = Readonly<Record<string, unknown>>;
const isJsonObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

/** Paths of all fields, at any depth. */
function pathsOf(value: unknown, prefix = ""): string[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value).flatMap((key) => [`${prefix}${key}`, ...pathsOf(value[key], `${prefix}${key}.`)]);
}

/** Returns a copy with one field changed, added or, without a value, removed. */
function withField(value: unknown, path: string, ...[newValue]: [unknown?]): JsonObject {
  const copy = structuredClone(value) as JsonObject;
  const keys = path.split(".");
  const last = keys.pop() as string;
  const parent = keys.reduce<JsonObject>((object, key) => object[key] as JsonObject, copy) as Record<string, unknown>;
  if (newValue === undefined) delete parent[last];
  else parent[last] = newValue;
  return copy;
}

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

describe.each(Object.entries(examples))("%s", (type, example) => {
  const paths = pathsOf(example).filter((path) => !path.startsWith("input."));

  test("parses unchanged", () => {
    expect(AgentEvent.parse(example)).toStrictEqual(example);
    expect(Event.parse({ ...event, body: example })).toStrictEqual({ ...event, body: example });
  });

  test("requires every field except the optional ones", () => {
    const removable = paths.filter((path) => accepts(AgentEvent, withField(example, path)));
    expect(removable).toEqual([...(optional[type] ?? [])]);
  });

  test("rejects a field of the wrong type", () => {
    const odd = { odd: true };
    const untyped = paths.filter((path) => accepts(AgentEvent, withField(example, path, odd)));
    expect(untyped).toEqual(withInput.includes(type) ? ["input"] : []);
    const nullPaths = paths.filter((path) => accepts(AgentEvent, withField(example, path, null)));
    expect(nullPaths.filter((path) => !untyped.includes(path))).toEqual([...(nullable[type] ?? [])]);
  });

  test("rejects an unknown field at any depth", () => {
    const holders = ["", ...paths.filter((path) => isObjectAt(example, path)).map((path) => `${path}.`)];
    for (const holder of holders) expect(accepts(AgentEvent, withField(example, `${holder}odd`, "x"))).toBe(false);
  });
});

/** Whether the path leads to an object with fixed fields, not to a list or a dictionary. */
function isObjectAt(value: unknown, path: string): boolean {
  const found = path.split(".").reduce<unknown>((object, key) => (object as JsonObject)[key], value);
  return isJsonObject(found) && !Array.isArray(found) && path !== "input" && path !== "answers";
}

test("the examples cover the whole union, and a delta is not an event", () => {
  const types = AgentEvent.options.map((option) => option.shape.type.value);
  expect(Object.keys(examples)).toEqual(types);
  expect(new Set(types).size).toBe(types.length);
  expect(accepts(AgentEvent, { type: "text.delta", text: "partial" })).toBe(false);
});

/** Enum values of the contract. Other programs branch on them. */
const enumValues: readonly [AgentEventType, string, readonly string[]][] = [
  ["session.started", "mode", ["default", "accept-edits", "plan", "full-auto", "dangerously-skip-permissions"]],
  ["session.started", "continues.outcome", ["native", "rebuilt", "fresh"]],
  ["session.paused", "reason", ["asked", "idle"]],
  ["session.resumed", "outcome", ["native", "forked", "rebuilt", "fresh"]],
  ["session.ended", "reason", ["stopped", "finished", "failed", "crashed", "lost"]],
  ["turn.started", "origin", ["user", "agent", "terminal"]],
  ["turn.started", "source", ["transcript"]],
  ["turn.ended", "outcome", ["completed", "interrupted", "failed", "limited"]],
  ["plan.updated", "steps.0.state", ["pending", "active", "done"]],
  ["context.compacted", "trigger", ["asked", "automatic"]],
  ["status.reported", "announces", ["compaction"]],
  ["tool.ended", "reason", ["failed", "denied", "interrupted", "unfinished"]],
  ["file.changed", "change", ["created", "modified", "deleted"]],
  ["decision.requested", "kind", ["approval", "question"]],
  ["decision.resolved", "outcome", ["allowed", "denied", "answered", "canceled", "timed-out"]],
  ["decision.resolved", "by.kind", ["person", "mode", "agent", "runtime", "unattended"]],
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

test.each(enumValues)("%s: %s accepts the listed values only", (type, path, known) => {
  const accepted = known.filter((word) => accepts(AgentEvent, withField(examples[type], path, word)));
  expect(accepted).toEqual(known);
  for (const word of ["", "odd"]) expect(accepts(AgentEvent, withField(examples[type], path, word))).toBe(false);
});

test.each(Object.keys(tokens))("%s tokens are a whole number from 0", (bucket) => {
  const usage = examples["usage.reported"];
  const accepted = [0, 1, -1, 0.5].filter((count) => accepts(AgentEvent, withField(usage, `tokens.${bucket}`, count)));
  expect(accepted).toEqual([0, 1]);
});

test("an exit code is a whole number", () => {
  expect(accepts(AgentEvent, withField(examples["session.ended"], "exit.code", 1.5))).toBe(false);
});

test("an envelope requires all of its fields and no others, and only turn and model may be null", () => {
  const fields = Object.keys(event);
  expect(fields.filter((field) => accepts(Event, withField(event, field)))).toEqual([]);
  expect(fields.filter((field) => accepts(Event, withField(event, field, { odd: true })))).toEqual([]);
  expect(fields.filter((field) => accepts(Event, withField(event, field, null)))).toEqual(["turn", "model"]);
  expect(accepts(Event, { ...event, odd: 1 })).toBe(false);
});

test.each(["sequence", "epoch", "spool"])("the %s of an envelope is a whole number from 1", (field) => {
  expect([1, 2, 0, -1, 1.5].filter((count) => accepts(Event, withField(event, field, count)))).toEqual([1, 2]);
});

test("the time of an envelope is a date and time in UTC", () => {
  const times = ["2026-01-01T00:00:00.000Z", "2026-01-01", "yesterday", "2026-13-01T00:00:00.000Z"];
  expect(times.filter((time) => accepts(Event, withField(event, "occurredAt", time)))).toEqual([times[0]]);
});
