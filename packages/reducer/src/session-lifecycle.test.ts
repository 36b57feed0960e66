import { advance, emptyLedger, type AgentEvent, type Answer, type Exit, type SpoolRecord } from "@fairlead/contract";
import { exampleOpening as opening, exampleStart as session } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import { initialSessionState, type SessionState } from "./session-state.ts";
import { exitAlarm, lifecycle } from "./session-lifecycle.ts";
import { Emitter } from "./emitter.ts";

const record: SpoolRecord = { seq: 7, kind: "note", process: 0, at: 1000, id: "", bytes: Buffer.alloc(0) };
const turn: AgentEvent = { type: "turn.started", turn: "t", input: "do", origin: "user" };
const tool: AgentEvent = { type: "tool.requested", call: "c", name: "Bash", input: {} };
const decision: AgentEvent = { type: "decision.requested", decision: "d", kind: "approval", title: "May I?" };
const paused: AgentEvent = { type: "session.paused", reason: "asked" };

function emitterAfter(events: readonly AgentEvent[], change: Partial<SessionState> = {}): Emitter {
  const ledger = [session, ...events].reduce((current, event) => advance(current, event).ledger, emptyLedger);
  return new Emitter({ ...initialSessionState, opening, ledger, ...change }, record);
}
const bodies = ({ reduction }: Emitter) =>
  reduction.outputs.flatMap((output) => ("body" in output ? [output.body] : []));
const effects = ({ reduction }: Emitter) => reduction.pendingEffects.map(({ effect }) => effect);

const toolClosed = (reason: string) => ({ type: "tool.ended", call: "c", name: "Bash", ok: false, output: "", reason });
const decisionClosed = { type: "decision.resolved", decision: "d", outcome: "canceled", by: { kind: "runtime" } };
const turnEnd = (outcome: string) => ({ type: "turn.ended", turn: "t", outcome });
const ended = (reason: string, exit: Exit | null) => ({ type: "session.ended", reason, exit });
const notStarted = (cause: string) => ({
  type: "error.raised",
  category: "not-started",
  message: `The agent could not be started: ${cause}.`,
});
const agentDied = (cause: string) => ({
  type: "error.raised",
  category: "agent-died",
  message: `The agent's process ended by itself: ${cause}.`,
});

test.each<[string, Answer, object]>([
  ["an approval", { type: "allow" }, { outcome: "allowed" }],
  ["an approval with an edited input", { type: "allow", input: { a: 1 } }, { outcome: "allowed", input: { a: 1 } }],
  ["a denial", { type: "deny", message: "no", interrupt: false }, { outcome: "denied", message: "no" }],
  ["a choice", { type: "choose", answers: { q: "a" } }, { outcome: "answered", answers: { q: "a" } }],
])("%s resolves the decision with its source and content", (_, answer, resolution) => {
  const emitter = emitterAfter([turn, decision]);
  lifecycle.decisionAnswered(emitter, { type: "answer", decision: "d", answer, by: { kind: "mode" } });
  expect(bodies(emitter)).toStrictEqual([
    { type: "decision.resolved", decision: "d", by: { kind: "mode" }, ...resolution },
  ]);
});

describe("requestExit", () => {
  test.each(["pause", "end"] as const)(
    "for %s closes standard input of a running agent and sets the exit alarm to five seconds",
    (desiredState) => {
      const emitter = emitterAfter([turn, tool], { running: true, desiredState });
      lifecycle.requestExit(emitter);
      expect(effects(emitter)).toEqual([{ type: "close-stdin" }, { type: "alarm", name: exitAlarm, after: 5000 }]);
      expect(bodies(emitter)).toEqual([]);
    },
  );

  test("pauses at once, and only once, if no agent is running", () => {
    const emitter = emitterAfter([], { desiredState: "pause" });
    lifecycle.requestExit(emitter);
    lifecycle.requestExit(emitter);
    expect(bodies(emitter)).toEqual([paused]);
    expect(effects(emitter)).toEqual([]);
  });

  test("ends the session at once if no agent is running, also during a pause", () => {
    const emitter = emitterAfter([paused], { desiredState: "end" });
    lifecycle.requestExit(emitter);
    expect(bodies(emitter)).toEqual([ended("stopped", null)]);
  });
});

describe("the exit of an agent that was asked to exit", () => {
  const exit: Exit = { code: 143, signal: null };
  const cut = [toolClosed("interrupted"), decisionClosed, turnEnd("interrupted")];

  test.each(["session", "turn"] as const)(
    "pauses or ends the session and interrupts the turn (process lifetime: %s)",
    (processLifetime) => {
      for (const [desiredState, end] of [
        ["pause", paused],
        ["end", ended("stopped", exit)],
      ] as const) {
        const emitter = emitterAfter([turn, tool, decision], { desiredState });
        lifecycle.agentExited(emitter, { processLifetime, exit, turnLeftOpen: true });
        expect(bodies(emitter)).toEqual([...cut, end]);
        expect(effects(emitter)).toEqual([{ type: "disarm", name: exitAlarm }]);
      }
    },
  );
});

describe("closed standard input", () => {
  test("by the agent is recorded with a warning", () => {
    const emitter = emitterAfter([turn]);
    lifecycle.stdinClosed(emitter, "");
    expect(emitter.state.stdinClosed).toBe(true);
    const message = "The agent closed its standard input. Messages no longer reach it.";
    expect(bodies(emitter)).toEqual([{ type: "status.reported", level: "warning", message }]);
  });

  test.each(["pause", "end"] as const)("by an agent that is exiting (%s) is ignored", (desiredState) => {
    const emitter = emitterAfter([turn], { desiredState });
    lifecycle.stdinClosed(emitter, "");
    expect([emitter.state.stdinClosed, bodies(emitter)]).toEqual([false, []]);
  });

  test("by a command is ignored, but by the keeper's lease starts a pause", () => {
    const byCommand = emitterAfter([turn]);
    lifecycle.stdinClosed(byCommand, "7.0");
    expect([byCommand.state.stdinClosed, byCommand.state.desiredState]).toEqual([false, "run"]);
    const byLease = emitterAfter([turn]);
    lifecycle.stdinClosed(byLease, "lease");
    expect([byLease.state.stdinClosed, byLease.state.desiredState, byLease.state.idle]).toEqual([false, "pause", true]);
  });
});

const clean: Exit = { code: 0, signal: null };
const failed: Exit = { code: 1, signal: null };
const killed: Exit = { code: null, signal: "SIGKILL" };
const unstarted: Exit = { code: null, signal: null, error: "no such file" };
const unstartedSentence: Exit = { code: null, signal: null, error: "The folder /w does not exist." };

describe("the exit of an agent that was not asked to exit", () => {
  type Case = readonly [string, Exit, boolean, readonly object[]];
  const betweenTurns: readonly Case[] = [
    ["cleanly, has finished", clean, false, [ended("finished", clean)]],
    ["cleanly after an error, has finished too", clean, true, [ended("finished", clean)]],
    ["with a code, has crashed", failed, false, [agentDied("exit code 1"), ended("crashed", failed)]],
    ["with a code after an error, has failed", failed, true, [ended("failed", failed)]],
    ["by a signal, has crashed", killed, false, [agentDied("signal SIGKILL"), ended("crashed", killed)]],
    ["by a signal after an error, has crashed too", killed, true, [ended("crashed", killed)]],
    [
      "without having started, has failed",
      unstarted,
      false,
      [notStarted("no such file"), ended("failed", { code: null, signal: null })],
    ],
    [
      "without having started, for a reason that is a sentence, has failed",
      unstartedSentence,
      false,
      [notStarted("The folder /w does not exist"), ended("failed", { code: null, signal: null })],
    ],
  ];

  test.each(betweenTurns)("ends a session-long process between turns: %s", (_, exit, hasError, expected) => {
    const emitter = emitterAfter([], { hasError });
    lifecycle.agentExited(emitter, { processLifetime: "session", exit, turnLeftOpen: false });
    expect(bodies(emitter)).toEqual(expected);
    expect(effects(emitter)).toEqual([]);
  });

  test("has no effect on a turn-long process between turns", () => {
    for (const exit of [clean, failed, killed, unstarted]) {
      const emitter = emitterAfter([]);
      lifecycle.agentExited(emitter, { processLifetime: "turn", exit, turnLeftOpen: false });
      expect(emitter.reduction).toEqual({ outputs: [], pendingEffects: [], rejection: null });
    }
  });

  const closed = [toolClosed("unfinished"), decisionClosed, turnEnd("failed")];

  test.each([
    ["cleanly", clean, false, [agentDied("exit code 0"), ...closed]],
    ["with a code", failed, false, [agentDied("exit code 1"), ...closed]],
    ["after an error", failed, true, closed],
  ] as const)("during a turn, %s: fails the turn and closes its scopes", (_, exit, hasError, expected) => {
    const reason = hasError ? "failed" : "crashed";
    for (const processLifetime of ["turn", "session"] as const) {
      const emitter = emitterAfter([turn, tool, decision], { hasError });
      lifecycle.agentExited(emitter, { processLifetime, exit, turnLeftOpen: true });
      expect(bodies(emitter)).toEqual(processLifetime === "turn" ? expected : [...expected, ended(reason, exit)]);
    }
  });
});

test.each<[string, Exit]>([
  ["both a code and a signal", { code: 137, signal: "SIGKILL" }],
  ["neither a code nor a signal", { code: null, signal: null }],
])("an exit with %s is a crash, also after an error", (_, exit) => {
  const emitter = emitterAfter([], { hasError: true });
  lifecycle.agentExited(emitter, { processLifetime: "session", exit, turnLeftOpen: false });
  expect(bodies(emitter)).toEqual([ended("crashed", exit)]);
});

test("an error before the first turn makes the end a failure, whatever the exit", () => {
  const error: AgentEvent = { type: "error.raised", category: "session-not-found", message: "no such conversation" };
  for (const exit of [clean, killed]) {
    const emitter = emitterAfter([]);
    emitter.emit(error);
    lifecycle.agentExited(emitter, { processLifetime: "session", exit, turnLeftOpen: false });
    expect(bodies(emitter).at(-1)).toEqual(ended("failed", exit));
  }
  const later = emitterAfter([]);
  for (const event of [error, turn, error, { type: "turn.ended", turn: "t", outcome: "failed" }] as const) {
    later.emit(event);
  }
  lifecycle.agentExited(later, { processLifetime: "session", exit: clean, turnLeftOpen: false });
  expect(bodies(later).at(-1)).toEqual(ended("finished", clean));
});

test("the exit alarm keeps its name, because spools contain it", () => {
  expect(exitAlarm).toBe("fairlead.leave");
});

test("a lost keeper is reported once, and every scope is closed", () => {
  const emitter = emitterAfter([turn, tool, decision]);
  lifecycle.keeperLost(emitter);
  lifecycle.keeperLost(emitter);
  const message = "The keeper of this session died, and the agent with it. The agent's exit is unknown.";
  expect(bodies(emitter)).toEqual([
    { type: "error.raised", category: "agent-died", message },
    toolClosed("unfinished"),
    decisionClosed,
    turnEnd("failed"),
    ended("lost", null),
  ]);
});

test("a keeper that Fairlead killed is reported with the reason", () => {
  const emitter = emitterAfter([]);
  const error = { category: "timed-out", message: "Fairlead ended the session by force." } as const;
  lifecycle.keeperLost(emitter, error);
  expect(bodies(emitter)).toEqual([{ type: "error.raised", ...error }, ended("lost", null)]);
});
