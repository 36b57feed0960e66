import { describe, expect, test } from "vitest";
import { Event } from "./event.ts";
import { Note } from "./record.ts";
import { storedEventVersion, upcast, upcastNote } from "./upcast.ts";

const oldContinuation = { session: "s0", native: "n0", outcome: "native" };
const continuation = { session: "s0", agentSessionId: "n0", outcome: "native" };
const envelope = {
  id: "s/1.0",
  session: "s",
  sequence: 1,
  epoch: 1,
  turn: null,
  occurredAt: "2026-01-01T00:00:00.000Z",
  model: null,
  spool: 1,
  synthetic: true,
};
const started = {
  type: "session.started",
  name: null,
  adapterVersion: "1",
  agentVersion: null,
  protocol: "p",
  flags: [],
  workspace: "/w",
  mode: "default",
};
const decision = { type: "decision.requested", decision: "d", kind: "question", title: "Which?" };
const options = [{ label: "this" }];
const usage = {
  type: "usage.reported",
  provider: "p",
  model: "m",
  tokens: { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 },
  cost: null,
  provenance: "reported",
};
const oldResolved = { type: "decision.resolved", decision: "d", by: "runtime" };
const resolved = { ...oldResolved, by: { kind: "runtime" } };

describe("an event of version 1", () => {
  test.each([
    [
      "renames the adapter and the agent's session id of session.started",
      { ...started, adapter: "made-up", continues: oldContinuation },
      { ...started, agent: "made-up", continues: continuation },
    ],
    [
      "keeps a session.started that continues no session",
      { ...started, adapter: "made-up", continues: null },
      { ...started, agent: "made-up", continues: null },
    ],
    [
      "renames the agent's session id of session.changed",
      { type: "session.changed", native: "n", model: "m" },
      { type: "session.changed", agentSessionId: "n", model: "m" },
    ],
    ["keeps a session.changed without a session id", { type: "session.changed", model: "m" }, null],
    [
      "renames the agent's session id of session.resumed and keeps the outcome native",
      { type: "session.resumed", outcome: "native", native: "n" },
      { type: "session.resumed", outcome: "native", agentSessionId: "n" },
    ],
    [
      "keeps a session id of null",
      { type: "session.resumed", outcome: "fresh", native: null },
      { type: "session.resumed", outcome: "fresh", agentSessionId: null },
    ],
    ["changes the outcome cancelled", { ...oldResolved, outcome: "cancelled" }, { ...resolved, outcome: "canceled" }],
    [
      "keeps the other outcomes of a decision",
      { ...oldResolved, outcome: "denied" },
      { ...resolved, outcome: "denied" },
    ],
    [
      "renames the flag of every question that takes several answers",
      {
        ...decision,
        questions: [
          { text: "a", options, several: true },
          { text: "b", options, several: false },
        ],
      },
      {
        ...decision,
        questions: [
          { text: "a", options, multiSelect: true },
          { text: "b", options, multiSelect: false },
        ],
      },
    ],
    ["keeps a decision without questions", decision, null],
    [
      "changes the type unrecognised",
      { type: "unrecognised", reason: "r", raw: "?" },
      { type: "unrecognized", reason: "r", raw: "?" },
    ],
    ["keeps the provider of a model", usage, null],
    ["keeps every other body", { type: "text.ended", text: "hello" }, null],
  ])("%s", (_, body, expected) => {
    const event = Event.parse(upcast({ ...envelope, provider: "made-up", body }, 1));
    expect(event).toStrictEqual({ ...envelope, agent: "made-up", body: expected ?? body });
  });

  test("without a valid body or question is left for the parser to reject", () => {
    expect(upcast({ ...envelope, provider: "made-up" }, 1)).toEqual({ ...envelope, agent: "made-up" });
    const body = { ...decision, questions: ["Which?"] };
    expect(upcast({ ...envelope, provider: "made-up", body }, 1)).toEqual({ ...envelope, agent: "made-up", body });
  });
});

test.each([
  ["user", "person"],
  ["mode", "mode"],
  ["agent", "agent"],
  ["runtime", "runtime"],
])("an event of version 2 names %s as the kind %s", (by, kind) => {
  const event = { ...envelope, agent: "made-up", body: { ...oldResolved, outcome: "denied", by } };
  expect(Event.parse(upcast(event, 2)).body).toStrictEqual({ ...oldResolved, outcome: "denied", by: { kind } });
});

test("returns events of the current and of a newer version unchanged", () => {
  const event = { ...envelope, agent: "made-up", body: { type: "text.ended", text: "hello" } };
  for (const version of [storedEventVersion, storedEventVersion + 1]) expect(upcast(event, version)).toBe(event);
});

describe("a note of an older spool", () => {
  const probeResult = { installed: true, program: null, version: "2", flags: ["--x"], auth: "none", problems: [] };
  const common = { session: "s", name: null, adapterVersion: "1", workspace: "/w", mode: "default", settings: {} };

  test("renames agent, probe result and the agent's session id of an opening", () => {
    const note = {
      type: "opening",
      opening: { ...common, adapter: "made-up", finding: probeResult, continues: oldContinuation },
    };
    expect(Note.parse(upcastNote(note))).toStrictEqual({
      type: "opening",
      opening: { ...common, agent: "made-up", probeResult, continues: continuation },
    });
  });

  test("keeps an opening that continues no session", () => {
    const note = { type: "opening", opening: { ...common, adapter: "made-up", finding: probeResult, continues: null } };
    expect(Note.parse(upcastNote(note))).toMatchObject({ opening: { probeResult, continues: null } });
  });

  test("turns a wish into a command", () => {
    const command = { type: "send", turn: "t", text: "do" };
    expect(Note.parse(upcastNote({ type: "wish", wish: command }))).toStrictEqual({ type: "command", command });
  });

  test("names the sender of an answer, also of a wish", () => {
    const answer = { type: "answer", decision: "d", answer: { type: "allow" }, by: "user" };
    const expected = { type: "command", command: { ...answer, by: { kind: "person" } } };
    expect(Note.parse(upcastNote({ type: "command", command: answer }))).toStrictEqual(expected);
    expect(Note.parse(upcastNote({ type: "wish", wish: answer }))).toStrictEqual(expected);
    expect(Note.parse(upcastNote({ type: "command", command: { ...answer, by: "mode" } }))).toMatchObject({
      command: { by: { kind: "mode" } },
    });
  });

  test.each([
    [{ type: "opening", opening: { ...common, agent: "made-up", probeResult, continues: continuation } }],
    [{ type: "command", command: { type: "open" } }],
    [{ type: "alarm", name: "a" }],
    [{ type: "lost" }],
    ["not an object"],
    [null],
  ])("returns %j of the current form unchanged", (note) => {
    expect(upcastNote(note)).toEqual(note);
  });
});
