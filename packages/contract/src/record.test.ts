import { expect, test } from "vitest";
import { DecidedBy } from "./events/decision.ts";
import { ProbeResult, Opening } from "./opening.ts";
import { Exit, Note, recordKinds } from "./record.ts";
import { Answer, Command } from "./command.ts";

const probeResult: ProbeResult = {
  installed: true,
  program: "/bin/agent",
  version: "1.0.0",
  flags: ["--help"],
  auth: "none",
  problems: [],
};
const opening: Opening = {
  session: "s",
  name: null,
  agent: "made-up",
  adapterVersion: "1.0.0",
  workspace: "/w",
  mode: "default",
  settings: { anything: { at: ["all"] } },
  probeResult,
  continues: { session: "s0", agentSessionId: "n", outcome: "native" },
};

const commands: Readonly<Record<Command["type"], Command>> = {
  open: { type: "open" },
  send: { type: "send", turn: "t", text: "do" },
  steer: { type: "steer", text: "rather" },
  inject: { type: "inject", text: "by the way" },
  "update-brief": {
    type: "update-brief",
    brief: { title: "Fix it", goal: "It works.", constraints: [], acceptance: [] },
  },
  answer: { type: "answer", decision: "d", answer: { type: "allow" }, by: { kind: "person" } },
  interrupt: { type: "interrupt" },
  pause: { type: "pause" },
  resume: { type: "resume" },
  limit: { type: "limit", limits: { usd: 2 }, mayRaise: true },
  "take-over": { type: "take-over", size: { columns: 80, rows: 24 } },
  "hand-back": { type: "hand-back" },
  end: { type: "end" },
};
const answers: Readonly<Record<Answer["type"], Answer>> = {
  allow: { type: "allow", input: { edited: true } },
  deny: { type: "deny", message: "no", interrupt: true },
  choose: { type: "choose", answers: { "Which?": "this" } },
};
const notes: Readonly<Record<Note["type"], Note>> = {
  opening: { type: "opening", opening },
  command: { type: "command", command: commands.send },
  alarm: { type: "alarm", name: "a" },
  transcript: { type: "transcript", transcript: { bytes: 1, digest: "d", extends: true } },
  "terminal-opening": { type: "terminal-opening", transcript: { bytes: 1, digest: "d" } },
  "terminal-transcript": {
    type: "terminal-transcript",
    from: 1,
    to: 3,
    lines: ["a"],
    end: { problem: null, skippedBytes: 0, otherConversations: ["n"] },
  },
  files: {
    type: "files",
    from: "a1",
    root: "/w",
    tree: "b2",
    upTo: 7,
    files: [{ path: "a.txt", change: "created", call: "c", attribution: "call" }],
    more: 1,
    problem: "It is too large.",
  },
  price: {
    type: "price",
    provider: "p",
    model: "m",
    price: { uncached: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 },
    asOf: "2026-09-23",
  },
  "tool-result": { type: "tool-result", use: "7", outcome: "done", text: "t" },
  rejected: { type: "rejected", effect: "write", message: "It is too large." },
  lost: { type: "lost" },
  moved: { type: "moved", outcome: "rebuilt", reason: "It was lost.", context: ["earlier"] },
};

const cases = [
  ...Object.values(commands).map((value) => [Command, "command", value] as const),
  ...Object.values(answers).map((value) => [Answer, "answer", value] as const),
  ...Object.values(notes).map((value) => [Note, "note", value] as const),
  [Opening, "opening", opening] as const,
  [ProbeResult, "probe result", probeResult] as const,
  [Exit, "exit", { code: null, signal: "SIGKILL", error: "no such file" }] as const,
];

test.each(cases)("%# %s: %s %j parses unchanged, with all of its fields and no others", (schema, _, value) => {
  expect(schema.parse(value)).toStrictEqual(value);
  expect(schema.safeParse({ ...value, odd: 1 }).success).toBe(false);
  for (const field of Object.keys(value)) {
    expect(schema.safeParse({ ...value, [field]: Symbol("odd") }).success).toBe(field === "input");
    const { [field]: _removed, ...without } = value as Record<string, unknown>;
    // Older spools have no session names and must remain readable.
    const hasDefault = schema === Opening && field === "name";
    const isOptional = ["input", "interrupt", "error", "end", "problem"].includes(field);
    const isOptionalInMove = value === notes.moved && ["reason", "context"].includes(field);
    expect(schema.safeParse(without).success).toBe(hasDefault || isOptional || isOptionalInMove);
  }
});

test("the types of commands, answers, notes and records are complete", () => {
  expect(Command.options.map((option) => option.shape.type.value)).toEqual(Object.keys(commands));
  expect(Answer.options.map((option) => option.shape.type.value)).toEqual(Object.keys(answers));
  expect(Note.options.map((option) => option.shape.type.value)).toEqual(Object.keys(notes));
  expect(recordKinds).toEqual([
    "note",
    "launch",
    "in",
    "stdin-closed",
    "signal",
    "out",
    "err",
    "exit",
    "screen",
    "network",
  ]);
});

test("a denial does not interrupt the turn by default", () => {
  expect(Answer.parse({ type: "deny", message: "no" })).toEqual({ type: "deny", message: "no", interrupt: false });
});

test("the agent and the runtime cannot send an answer", () => {
  const accepted = DecidedBy.shape.kind.options.filter(
    (kind) => Command.safeParse({ ...commands.answer, by: { kind } }).success,
  );
  expect(accepted).toEqual(["person", "mode", "unattended", "policy"]);
});

test("rejects an answer to a question that is not a string", () => {
  expect(Answer.safeParse({ type: "choose", answers: { "Which?": 1 } }).success).toBe(false);
});

test("accepts an opening without a continuation and a probe result without program and version", () => {
  expect(Opening.safeParse({ ...opening, continues: null }).success).toBe(true);
  expect(Opening.safeParse({ ...opening, continues: { session: "s0" } }).success).toBe(false);
  expect(Opening.safeParse({ ...opening, continues: { agentSessionId: "n" } }).success).toBe(false);
  expect(Opening.safeParse({ ...opening, continues: { session: "s0", agentSessionId: "n", odd: 1 } }).success).toBe(
    false,
  );
  expect(ProbeResult.safeParse({ ...probeResult, program: null, version: null }).success).toBe(true);
  expect(ProbeResult.safeParse({ ...probeResult, flags: [1] }).success).toBe(false);
  expect(ProbeResult.safeParse({ ...probeResult, problems: [1] }).success).toBe(false);
});

test("accepts four kinds of authentication", () => {
  const kinds = ["api-key", "login", "none", "unknown", ""];
  expect(kinds.filter((auth) => ProbeResult.safeParse({ ...probeResult, auth }).success)).toEqual(kinds.slice(0, 4));
});

test("an exit has an integer code, a signal, or neither", () => {
  expect(Exit.safeParse({ code: 0, signal: null }).success).toBe(true);
  expect(Exit.safeParse({ code: null, signal: null, error: "no such file" }).success).toBe(true);
  expect(Exit.safeParse({ code: 0.5, signal: null }).success).toBe(false);
});
