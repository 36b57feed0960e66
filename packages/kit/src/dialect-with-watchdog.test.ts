import { keyedMap } from "@fairlead/contract";
import type { AgentEvent, Dialect, Effect, Observation, Transition, AgentCommand } from "@fairlead/contract";
import { noCalls } from "./calls.ts";
import { expect, test } from "vitest";
import { watchdog, type WatchdogState } from "./watchdog.ts";
import { dialectWithWatchdog } from "./dialect-with-watchdog.ts";
import { initialConversation, submit, finishTurn } from "./conversation-state.ts";

const initialState: WatchdogState = {
  ...initialConversation,
  calls: noCalls,
  pendingDecisions: {},
  activeSinceAlarm: false,
  failure: null,
};
const send = (message: { text: string }): Effect => ({ type: "write", text: message.text });
const failure = { category: "rate-limited", message: "Too many." } as const;
const deadline = 3000;
const openCall = { name: "Bash", input: {}, started: true };

/** `end` ends the turn, `retry` and `answer` report on the model, `long` extends the deadline. */
const dialect: Dialect<WatchdogState> = dialectWithWatchdog<WatchdogState>({
  initialState,
  deadline,
  observe(writer, observation) {
    if (observation.kind === "exited") writer.set({ current: null });
    if (observation.kind !== "line") return;
    if (observation.text === "end") finishTurn(writer, "completed", send);
    if (observation.text === "retry") watchdog.modelRetrying(writer, deadline, failure);
    if (observation.text === "answer") watchdog.modelAnswered(writer);
    if (observation.text === "long") watchdog.extendDeadline(writer, 60_000);
  },
  handle(writer, command) {
    if (command.type === "send") submit(writer, command, send);
    if (command.type === "interrupt") writer.set({ interrupting: true });
  },
  interruptTurn: (writer) => void writer.set({ interrupting: true }).effect({ type: "write", text: "stop" }),
});

const line = (text: string, stream: "out" | "err" = "out"): Observation => ({ kind: "line", stream, text });
const alarm: Observation = { kind: "alarm", name: watchdog.alarm };
const stopAlarmObserved: Observation = { kind: "alarm", name: watchdog.stopAlarm };
const stopAlarmSet: Effect = { type: "alarm", name: watchdog.stopAlarm, after: 10_000 };
const exit: Observation = { kind: "exited", exit: { code: null, signal: "SIGKILL" } };
const sendCommand = (turn: string): AgentCommand => ({ type: "send", turn, text: turn });
const watchdogAlarmSet = (after: number): Effect => ({ type: "alarm", name: watchdog.alarm, after });

/** Applies the inputs in order and returns the last transition. */
function transitionAfter(
  ...inputs: readonly (Observation | AgentCommand | Partial<WatchdogState>)[]
): Transition<WatchdogState> {
  let last: Transition<WatchdogState> = { state: initialState };
  for (const input of inputs) {
    if ("kind" in input) last = dialect.observe(last.state, input);
    else if ("type" in input) last = dialect.handle(last.state, input);
    else last = { state: { ...last.state, ...input } };
  }
  return last;
}

const errors = ({ events = [] }: Transition<WatchdogState>): AgentEvent[] =>
  events.filter(({ type }) => type === "error.raised");

test("sets the alarm after the message when a turn starts, and disarms it when no turn is open", () => {
  expect(transitionAfter(sendCommand("1")).effects).toEqual([send({ text: "1" }), watchdogAlarmSet(deadline)]);
  expect(transitionAfter(sendCommand("1"), line("end")).effects).toEqual([{ type: "disarm", name: watchdog.alarm }]);
  expect(transitionAfter(line("end")).effects).toEqual([]);
});

test("a queued message does not move the alarm, but the start of its turn sets it", () => {
  expect(transitionAfter(sendCommand("1"), sendCommand("2")).effects).toEqual([]);
  expect(transitionAfter(sendCommand("1"), sendCommand("2"), line("end")).effects).toEqual([
    send({ text: "2" }),
    watchdogAlarmSet(deadline),
  ]);
});

test("interrupts a silent model at the second alarm, as timed out", () => {
  expect(transitionAfter(sendCommand("1"), alarm).effects).toEqual([watchdogAlarmSet(deadline)]);
  const expired = transitionAfter(sendCommand("1"), alarm, alarm);
  expect(expired.effects).toEqual([{ type: "write", text: "stop" }, stopAlarmSet]);
  expect(expired.state.failure).toMatchObject({ category: "timed-out", isFinal: true });
});

test("waits while the agent writes, runs a call or asks for a decision", () => {
  for (const activity of [
    line("anything"),
    { calls: keyedMap.from({ c: openCall }) },
    { pendingDecisions: { d: {} } },
  ]) {
    expect(transitionAfter(sendCommand("1"), alarm, activity, alarm).effects).toEqual([watchdogAlarmSet(deadline)]);
  }
  expect(transitionAfter(sendCommand("1"), alarm, line("words", "err"), alarm).state.failure?.isFinal).toBe(true);
});

test("counts the deadline from the first failure, despite output, and fails the turn with that failure", () => {
  expect(transitionAfter(sendCommand("1"), line("retry")).effects).toEqual([watchdogAlarmSet(deadline)]);
  expect(transitionAfter(sendCommand("1"), line("retry"), line("retry")).effects).toEqual([]);
  const expired = transitionAfter(
    sendCommand("1"),
    line("retry"),
    line("anything"),
    { calls: keyedMap.from({ c: openCall }) },
    alarm,
  );
  expect(expired.effects?.[0]).toEqual({ type: "write", text: "stop" });
  expect(expired.state.failure).toEqual({ ...failure, isFinal: true });
  // Further retries do not change the final failure.
  const { effects, state } = dialect.observe(expired.state, line("retry"));
  expect([effects, state.failure?.isFinal]).toEqual([[], true]);
});

test("an answer of the model clears a failure, but not a final one", () => {
  expect(transitionAfter(sendCommand("1"), line("retry"), line("answer"), alarm).effects).toEqual([
    watchdogAlarmSet(deadline),
  ]);
  expect(transitionAfter(sendCommand("1"), line("retry"), alarm, line("answer")).state.failure?.isFinal).toBe(true);
});

test("extends the deadline for long work, unless the model is failing", () => {
  expect(transitionAfter(sendCommand("1"), line("long")).effects).toEqual([watchdogAlarmSet(60_000)]);
  expect(transitionAfter(sendCommand("1"), line("retry"), line("long")).effects).toEqual([]);
  expect(transitionAfter(line("long")).effects).toEqual([]);
});

test("kills an agent that does not stop, and reports the reason at its exit", () => {
  expect(transitionAfter(sendCommand("1"), { type: "interrupt" }).effects).toEqual([stopAlarmSet]);
  expect(transitionAfter(sendCommand("1"), { type: "interrupt" }, { type: "interrupt" }).effects).toEqual([]);
  const killed = transitionAfter(sendCommand("1"), { type: "interrupt" }, stopAlarmObserved);
  expect(killed.effects).toEqual([{ type: "kill" }]);
  const exited = dialect.observe(killed.state, exit);
  expect(errors(exited)).toMatchObject([
    { category: "timed-out", message: "The agent did not stop within 10 s of the interrupt." },
  ]);
});

test("ignores an alarm that goes off during the interrupt or after the stop", () => {
  expect(transitionAfter(sendCommand("1"), { type: "interrupt" }, alarm).effects).toEqual([]);
  const stopped = transitionAfter(sendCommand("1"), sendCommand("2"), { type: "interrupt" }, line("end"));
  expect(stopped.effects).toEqual([
    send({ text: "2" }),
    { type: "disarm", name: watchdog.stopAlarm },
    watchdogAlarmSet(deadline),
  ]);
  expect(dialect.observe(stopped.state, stopAlarmObserved).effects).toEqual([]);
  expect(transitionAfter(stopAlarmObserved).effects).toEqual([]);
});

test("raises no error at an exit without a final failure", () => {
  expect(errors(transitionAfter(sendCommand("1"), exit))).toEqual([]);
  expect(errors(transitionAfter(sendCommand("1"), line("retry"), exit))).toEqual([]);
});

test("ignores alarms without a turn and alarms of another name", () => {
  expect(transitionAfter(alarm).effects).toEqual([]);
  expect(transitionAfter(sendCommand("1"), { kind: "alarm", name: "another" }).effects).toEqual([]);
});
