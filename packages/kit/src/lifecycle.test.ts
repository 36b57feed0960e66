import {
  advance,
  emptyLedger,
  type AgentEvent,
  type Answer,
  type Exit,
  type Opening,
  type SpoolRecord,
} from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { emptyFold, type FoldState } from "./fold-state.ts";
import { leaveAlarm, lifecycle } from "./lifecycle.ts";
import { Telling } from "./telling.ts";

const opening: Opening = {
  session: "s",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  workspace: "/w",
  mode: "default",
  settings: {},
  finding: { installed: true, program: "agent", version: "2", flags: [], auth: "none", problems: [] },
  continues: null,
};
const record: SpoolRecord = { seq: 7, kind: "note", process: 0, at: 1000, id: "", bytes: Buffer.alloc(0) };
const session: AgentEvent = {
  type: "session.started",
  name: null,
  agent: "made-up",
  adapterVersion: "1",
  agentVersion: "2",
  protocol: "lines",
  flags: [],
  workspace: "/w",
  mode: "default",
  continues: null,
};
const turn: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const tool: AgentEvent = { type: "tool.requested", call: "c", name: "Bash", input: {} };
const ask: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
const paused: AgentEvent = { type: "session.paused", reason: "asked" };

function after(events: readonly AgentEvent[], change: Partial<FoldState> = {}): Telling {
  const ledger = [session, ...events].reduce((sofar, event) => advance(sofar, event).ledger, emptyLedger);
  return new Telling({ ...emptyFold, opening, ledger, ...change }, record);
}
const bodies = ({ folded }: Telling) => folded.told.flatMap((one) => ("body" in one ? [one.body] : []));
const effects = ({ folded }: Telling) => folded.orders.map(({ effect }) => effect);

const toolCut = (reason: string) => ({ type: "tool.ended", call: "c", name: "Bash", ok: false, output: "", reason });
const askCut = { type: "decision.resolved", decision: "d", outcome: "canceled", by: "runtime" };
const turnEnd = (outcome: string) => ({ type: "turn.ended", turn: "t", outcome });
const ended = (reason: string, exit: Exit | null) => ({ type: "session.ended", reason, exit });
const died = (category: string, how: string) => ({
  type: "error.raised",
  category,
  message: `The agent's process ended by itself: ${how}.`,
});

test.each<[string, Answer, object]>([
  ["an allowance", { type: "allow" }, { outcome: "allowed" }],
  ["an allowance of something else", { type: "allow", input: { a: 1 } }, { outcome: "allowed", input: { a: 1 } }],
  ["a denial", { type: "deny", message: "no", interrupt: false }, { outcome: "denied", message: "no" }],
  ["a choice", { type: "choose", answers: { q: "a" } }, { outcome: "answered", answers: { q: "a" } }],
])("%s resolves the decision, and says by whom and with what", (_, answer, resolution) => {
  const telling = after([turn, ask]);
  lifecycle.answered(telling, { type: "answer", decision: "d", answer, by: "mode" });
  expect(bodies(telling)).toStrictEqual([{ type: "decision.resolved", decision: "d", by: "mode", ...resolution }]);
});

describe("leaving", () => {
  test.each(["pause", "end"] as const)("for %s lets a running agent go, and gives it five seconds", (aim) => {
    const telling = after([turn, tool], { running: true, aim });
    lifecycle.leaving(telling);
    expect(effects(telling)).toEqual([{ type: "hangup" }, { type: "alarm", name: leaveAlarm, after: 5000 }]);
    expect(bodies(telling)).toEqual([]);
  });

  test("for a pause is done at once when no agent is running, and not twice", () => {
    const telling = after([], { aim: "pause" });
    lifecycle.leaving(telling);
    lifecycle.leaving(telling);
    expect(bodies(telling)).toEqual([paused]);
    expect(effects(telling)).toEqual([]);
  });

  test("for good is done at once when no agent is running, also from a pause", () => {
    const telling = after([paused], { aim: "end" });
    lifecycle.leaving(telling);
    expect(bodies(telling)).toEqual([ended("stopped", null)]);
  });
});

describe("an agent that was asked to leave and has left", () => {
  const exit: Exit = { code: 143, signal: null };
  const cut = [toolCut("interrupted"), askCut, turnEnd("interrupted")];

  test.each(["session", "turn"] as const)("is let be, and its turn was interrupted (life: %s)", (life) => {
    for (const [aim, end] of [
      ["pause", paused],
      ["end", ended("stopped", exit)],
    ] as const) {
      const telling = after([turn, tool, ask], { aim });
      lifecycle.exited(telling, { life, exit, cutOff: true });
      expect(bodies(telling)).toEqual([...cut, end]);
      expect(effects(telling)).toEqual([{ type: "disarm", name: leaveAlarm }]);
    }
  });
});

describe("an input that was closed", () => {
  test("by the agent itself makes it deaf, and that is said", () => {
    const telling = after([turn]);
    lifecycle.hungUp(telling, "");
    expect(telling.state.stdinClosed).toBe(true);
    const message = "The agent has closed its standard input: what is said to it no longer arrives.";
    expect(bodies(telling)).toEqual([{ type: "status.reported", level: "warning", message }]);
  });

  test.each(["pause", "end"] as const)("by an agent that is leaving (%s) is no news", (aim) => {
    const telling = after([turn], { aim });
    lifecycle.hungUp(telling, "");
    expect([telling.state.stdinClosed, bodies(telling)]).toEqual([false, []]);
  });

  test("by us is no news, but by a keeper whom nobody came back to it is the beginning of a pause", () => {
    const told = after([turn]);
    lifecycle.hungUp(told, "7.0");
    expect([told.state.stdinClosed, told.state.aim]).toEqual([false, "run"]);
    const left = after([turn]);
    lifecycle.hungUp(left, "lease");
    expect([left.state.stdinClosed, left.state.aim, left.state.idle]).toEqual([false, "pause", true]);
  });
});

const clean: Exit = { code: 0, signal: null };
const failed: Exit = { code: 1, signal: null };
const killed: Exit = { code: null, signal: "SIGKILL" };
const unstarted: Exit = { code: null, signal: null, error: "no such file" };

describe("an agent that leaves by itself,", () => {
  type Case = readonly [string, Exit, boolean, readonly object[]];
  const betweenTurns: readonly Case[] = [
    ["cleanly, has finished", clean, false, [ended("finished", clean)]],
    ["cleanly after an error, has finished too", clean, true, [ended("finished", clean)]],
    ["with a code, has crashed", failed, false, [died("agent-died", "exit code 1"), ended("crashed", failed)]],
    ["with a code after an error, has failed", failed, true, [ended("failed", failed)]],
    ["by a signal, has crashed", killed, false, [died("agent-died", "signal SIGKILL"), ended("crashed", killed)]],
    ["by a signal after an error, has crashed too", killed, true, [ended("crashed", killed)]],
    [
      "without having started, has failed",
      unstarted,
      false,
      [died("not-started", "no such file"), ended("failed", { code: null, signal: null })],
    ],
  ];

  test.each(betweenTurns)("and lives for a session, between turns: %s", (_, exit, erred, told) => {
    const telling = after([], { erred });
    lifecycle.exited(telling, { life: "session", exit, cutOff: false });
    expect(bodies(telling)).toEqual(told);
    expect(effects(telling)).toEqual([]);
  });

  test("and lives for a turn, between turns: is not missed", () => {
    for (const exit of [clean, failed, killed, unstarted]) {
      const telling = after([]);
      lifecycle.exited(telling, { life: "turn", exit, cutOff: false });
      expect(telling.folded).toEqual({ told: [], orders: [], refusal: null });
    }
  });

  const cut = [toolCut("unfinished"), askCut, turnEnd("failed")];

  test.each([
    ["cleanly", clean, false, [died("agent-died", "exit code 0"), ...cut]],
    ["with a code", failed, false, [died("agent-died", "exit code 1"), ...cut]],
    ["after saying what was wrong", failed, true, cut],
  ] as const)(
    "in the middle of a turn, %s: the turn has failed, and what was open is closed",
    (_, exit, erred, told) => {
      const reason = erred ? "failed" : "crashed";
      for (const life of ["turn", "session"] as const) {
        const telling = after([turn, tool, ask], { erred });
        lifecycle.exited(telling, { life, exit, cutOff: true });
        expect(bodies(telling)).toEqual(life === "turn" ? told : [...told, ended(reason, exit)]);
      }
    },
  );
});

test.each<[string, Exit]>([
  ["both a code and a signal", { code: 137, signal: "SIGKILL" }],
  ["neither a code nor a signal", { code: null, signal: null }],
])("an exit with %s is a crash, whatever was said before", (_, exit) => {
  const telling = after([], { erred: true });
  lifecycle.exited(telling, { life: "session", exit, cutOff: false });
  expect(bodies(telling)).toEqual([ended("crashed", exit)]);
});

test("an agent with which something was wrong before any turn could begin has failed, however it left", () => {
  const wrong: AgentEvent = { type: "error.raised", category: "session-not-found", message: "no such conversation" };
  for (const exit of [clean, killed]) {
    const telling = after([]);
    telling.tell(wrong);
    lifecycle.exited(telling, { life: "session", exit, cutOff: false });
    expect(bodies(telling).at(-1)).toEqual(ended("failed", exit));
  }
  const later = after([]);
  for (const event of [wrong, turn, wrong, { type: "turn.ended", turn: "t", outcome: "failed" }] as const) {
    later.tell(event);
  }
  lifecycle.exited(later, { life: "session", exit: clean, cutOff: false });
  expect(bodies(later).at(-1)).toEqual(ended("finished", clean));
});

test("the alarm for leaving keeps its name, for it stands in spools", () => {
  expect(leaveAlarm).toBe("fairlead.leave");
});

test("when the keeper is lost, that is said once, and everything is closed", () => {
  const telling = after([turn, tool, ask]);
  lifecycle.lost(telling);
  lifecycle.lost(telling);
  const message = "The keeper of this session is gone, and with it the agent. Nobody saw how it ended.";
  expect(bodies(telling)).toEqual([
    { type: "error.raised", category: "agent-died", message },
    toolCut("unfinished"),
    askCut,
    turnEnd("failed"),
    ended("lost", null),
  ]);
});
