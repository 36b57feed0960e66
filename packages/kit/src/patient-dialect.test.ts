import type { AgentEvent, Dialect, Effect, Heard, Step, Asked } from "@fairlead/contract";
import { expect, test } from "vitest";
import { patience, patienceAlarm, stopAlarm, type Patient } from "./patience.ts";
import { patientDialect } from "./patient-dialect.ts";
import { quietTalk, takeUp, turnOver } from "./talk.ts";

const start: Patient = { ...quietTalk, calls: {}, asks: {}, heard: false, trouble: null };
const speak = (message: { text: string }): Effect => ({ type: "say", text: message.text });
const trouble = { category: "rate-limited", says: "Too many." } as const;
const deadline = 3000;
const open = { name: "Bash", input: {}, started: true };

/** An agent of few words: `over` ends the turn, `trouble` and `fine` tell of its model, `long` announces a long silence. */
const dialect: Dialect<Patient> = patientDialect<Patient>({
  start,
  deadline,
  hear(writer, heard) {
    if (heard.kind === "exited") writer.set({ current: null });
    if (heard.kind !== "line") return;
    if (heard.text === "over") turnOver(writer, "completed", speak);
    if (heard.text === "trouble") patience.troubled(writer, deadline, trouble);
    if (heard.text === "fine") patience.relieved(writer);
    if (heard.text === "long") patience.granted(writer, 60_000);
  },
  ask(writer, wish) {
    if (wish.type === "send") takeUp(writer, wish, speak);
    if (wish.type === "interrupt") writer.set({ interrupting: true });
  },
  stop: (writer) => void writer.set({ interrupting: true }).effect({ type: "say", text: "stop" }),
});

const line = (text: string, stream: "out" | "err" = "out"): Heard => ({ kind: "line", stream, text });
const alarm: Heard = { kind: "alarm", name: patienceAlarm };
const lateAlarm: Heard = { kind: "alarm", name: stopAlarm };
const stops: Effect = { type: "alarm", name: stopAlarm, after: 10_000 };
const exit: Heard = { kind: "exited", exit: { code: null, signal: "SIGKILL" } };
const send = (turn: string): Asked => ({ type: "send", turn, text: turn });
const waits = (after: number): Effect => ({ type: "alarm", name: patienceAlarm, after });

/** The last step of several, each from the state that the one before has left. */
function after(...steps: readonly (Heard | Asked | Partial<Patient>)[]): Step<Patient> {
  let last: Step<Patient> = { state: start };
  for (const step of steps) {
    if ("kind" in step) last = dialect.hear(last.state, step);
    else if ("type" in step) last = dialect.ask(last.state, step);
    else last = { state: { ...last.state, ...step } };
  }
  return last;
}

const errors = ({ events = [] }: Step<Patient>): AgentEvent[] => events.filter(({ type }) => type === "error.raised");

test("the alarm is set when a turn begins, after what is said, and taken off when none is left", () => {
  expect(after(send("1")).effects).toEqual([speak({ text: "1" }), waits(deadline)]);
  expect(after(send("1"), line("over")).effects).toEqual([{ type: "disarm", name: patienceAlarm }]);
  expect(after(line("over")).effects).toEqual([]);
});

test("a message that waits does not move the alarm; its own turn sets it anew", () => {
  expect(after(send("1"), send("2")).effects).toEqual([]);
  expect(after(send("1"), send("2"), line("over")).effects).toEqual([speak({ text: "2" }), waits(deadline)]);
});

test("a model that is never heard of is given up at the second alarm, as timed out", () => {
  expect(after(send("1"), alarm).effects).toEqual([waits(deadline)]);
  const given = after(send("1"), alarm, alarm);
  expect(given.effects).toEqual([{ type: "say", text: "stop" }, stops]);
  expect(given.state.trouble).toMatchObject({ category: "timed-out", over: true });
});

test("whoever is heard, has a call running or has asked somebody is waited for", () => {
  for (const sign of [line("anything"), { calls: { c: open } }, { asks: { d: {} } }]) {
    expect(after(send("1"), alarm, sign, alarm).effects).toEqual([waits(deadline)]);
  }
  expect(after(send("1"), alarm, line("words", "err"), alarm).state.trouble?.over).toBe(true);
});

test("from the first failure on the time counts, whatever is said meanwhile, and its kind is what the turn fails of", () => {
  expect(after(send("1"), line("trouble")).effects).toEqual([waits(deadline)]);
  expect(after(send("1"), line("trouble"), line("trouble")).effects).toEqual([]);
  const given = after(send("1"), line("trouble"), line("anything"), { calls: { c: open } }, alarm);
  expect(given.effects?.[0]).toEqual({ type: "say", text: "stop" });
  expect(given.state.trouble).toEqual({ ...trouble, over: true });
  // It may go on about it; why it was given up stays the same.
  const { effects, state } = dialect.hear(given.state, line("trouble"));
  expect([effects, state.trouble?.over]).toEqual([[], true]);
});

test("a model that answers after all is waited for again, but not once it was given up", () => {
  expect(after(send("1"), line("trouble"), line("fine"), alarm).effects).toEqual([waits(deadline)]);
  expect(after(send("1"), line("trouble"), alarm, line("fine")).state.trouble?.over).toBe(true);
});

test("what is known to take long is given the time, unless its model is in trouble", () => {
  expect(after(send("1"), line("long")).effects).toEqual([waits(60_000)]);
  expect(after(send("1"), line("trouble"), line("long")).effects).toEqual([]);
  expect(after(line("long")).effects).toEqual([]);
});

test("whoever does not stop when told to is ended, and that is said when it is gone", () => {
  expect(after(send("1"), { type: "interrupt" }).effects).toEqual([stops]);
  expect(after(send("1"), { type: "interrupt" }, { type: "interrupt" }).effects).toEqual([]);
  const ended = after(send("1"), { type: "interrupt" }, lateAlarm);
  expect(ended.effects).toEqual([{ type: "kill" }]);
  const gone = dialect.hear(ended.state, exit);
  expect(errors(gone)).toMatchObject([{ category: "timed-out", message: "It did not stop when it was told to." }]);
});

test("an alarm that went off just as it was told to stop does it no harm, nor one that comes when it has stopped", () => {
  expect(after(send("1"), { type: "interrupt" }, alarm).effects).toEqual([]);
  const stopped = after(send("1"), send("2"), { type: "interrupt" }, line("over"));
  expect(stopped.effects).toEqual([speak({ text: "2" }), { type: "disarm", name: stopAlarm }, waits(deadline)]);
  expect(dialect.hear(stopped.state, lateAlarm).effects).toEqual([]);
  expect(after(lateAlarm).effects).toEqual([]);
});

test("an end without any trouble, or with trouble that might have passed, is no error of ours", () => {
  expect(errors(after(send("1"), exit))).toEqual([]);
  expect(errors(after(send("1"), line("trouble"), exit))).toEqual([]);
});

test("alarms without a turn, or of another name, mean nothing", () => {
  expect(after(alarm).effects).toEqual([]);
  expect(after(send("1"), { kind: "alarm", name: "another" }).effects).toEqual([]);
});
