import { expect, test } from "vitest";
import { Finding, Opening } from "./opening.ts";
import { Exit, Note, recordKinds } from "./record.ts";
import { Answer, Wish } from "./wish.ts";

const finding: Finding = {
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
  finding,
  continues: { session: "s0", agentSessionId: "n", outcome: "native" },
};

const wishes: Readonly<Record<Wish["type"], Wish>> = {
  open: { type: "open" },
  send: { type: "send", turn: "t", text: "do" },
  steer: { type: "steer", text: "rather" },
  inject: { type: "inject", text: "by the way" },
  answer: { type: "answer", decision: "d", answer: { type: "allow" }, by: "user" },
  interrupt: { type: "interrupt" },
  pause: { type: "pause" },
  resume: { type: "resume" },
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
  wish: { type: "wish", wish: wishes.send },
  alarm: { type: "alarm", name: "a" },
  transcript: { type: "transcript", transcript: { bytes: 1, digest: "d", extends: true } },
  lost: { type: "lost" },
};

const allOf = [
  ...Object.values(wishes).map((value) => [Wish, "wish", value] as const),
  ...Object.values(answers).map((value) => [Answer, "answer", value] as const),
  ...Object.values(notes).map((value) => [Note, "note", value] as const),
  [Opening, "opening", opening] as const,
  [Finding, "finding", finding] as const,
  [Exit, "exit", { code: null, signal: "SIGKILL", error: "no such file" }] as const,
];

test.each(allOf)("%# %s: %s %j is taken as it is, with all of its fields and no other", (schema, _, value) => {
  expect(schema.parse(value)).toStrictEqual(value);
  expect(schema.safeParse({ ...value, odd: 1 }).success).toBe(false);
  for (const field of Object.keys(value)) {
    expect(schema.safeParse({ ...value, [field]: Symbol("odd") }).success).toBe(field === "input");
    const { [field]: _left, ...without } = value as Record<string, unknown>;
    // Spools from before there were names are still read.
    const old = schema === Opening && field === "name";
    expect(schema.safeParse(without).success).toBe(old || ["input", "interrupt", "error"].includes(field));
  }
});

test("the kinds of wishes, answers and notes are these and no more", () => {
  expect(Wish.options.map((option) => option.shape.type.value)).toEqual(Object.keys(wishes));
  expect(Answer.options.map((option) => option.shape.type.value)).toEqual(Object.keys(answers));
  expect(Note.options.map((option) => option.shape.type.value)).toEqual(Object.keys(notes));
  expect(recordKinds).toEqual(["note", "launch", "in", "hangup", "signal", "out", "err", "exit", "screen"]);
});

test("a denial does not end the turn unless it says so", () => {
  expect(Answer.parse({ type: "deny", message: "no" })).toEqual({ type: "deny", message: "no", interrupt: false });
});

test("an answer comes from a person or from the mode, never from the agent", () => {
  const taken = ["user", "mode", "agent", "runtime"].filter((by) => Wish.safeParse({ ...wishes.answer, by }).success);
  expect(taken).toEqual(["user", "mode"]);
});

test("a choice is words for words", () => {
  expect(Answer.safeParse({ type: "choose", answers: { "Which?": 1 } }).success).toBe(false);
});

test("a session may have nothing before it, and an agent may be nowhere and of no known version", () => {
  expect(Opening.safeParse({ ...opening, continues: null }).success).toBe(true);
  expect(Opening.safeParse({ ...opening, continues: { session: "s0" } }).success).toBe(false);
  expect(Opening.safeParse({ ...opening, continues: { agentSessionId: "n" } }).success).toBe(false);
  expect(Opening.safeParse({ ...opening, continues: { session: "s0", agentSessionId: "n", odd: 1 } }).success).toBe(
    false,
  );
  expect(Finding.safeParse({ ...finding, program: null, version: null }).success).toBe(true);
  expect(Finding.safeParse({ ...finding, flags: [1] }).success).toBe(false);
  expect(Finding.safeParse({ ...finding, problems: [1] }).success).toBe(false);
});

test("an agent identifies itself in one of four ways", () => {
  const ways = ["api-key", "login", "none", "unknown", ""];
  expect(ways.filter((auth) => Finding.safeParse({ ...finding, auth }).success)).toEqual(ways.slice(0, 4));
});

test("an exit has a whole code, a signal, or neither", () => {
  expect(Exit.safeParse({ code: 0, signal: null }).success).toBe(true);
  expect(Exit.safeParse({ code: null, signal: null, error: "no such file" }).success).toBe(true);
  expect(Exit.safeParse({ code: 0.5, signal: null }).success).toBe(false);
});
