import type { Step } from "@fairlead/contract";
import { expect, test } from "vitest";
import { StepWriter } from "./step-writer.ts";
import { writtenDialect } from "./written-dialect.ts";

interface State {
  readonly heard: number;
  readonly asked: string;
}

test("a step is what was written, in order, and the state that it began with stays as it was", () => {
  const before: State = Object.freeze({ heard: 0, asked: "" });
  const writer = new StepWriter(before)
    .set({ heard: 1 })
    .event({ type: "text.ended", text: "a" }, { type: "text.ended", text: "b" })
    .delta({ type: "text.delta", text: "c" })
    .event({ type: "text.ended", text: "d" })
    .effect({ type: "hangup" }, { type: "kill" })
    .delta({ type: "reasoning.delta", text: "e" })
    .set({ asked: "open" });
  expect(writer.step).toEqual<Step<State>>({
    state: { heard: 1, asked: "open" },
    events: ["a", "b", "d"].map((text) => ({ type: "text.ended", text })),
    deltas: [
      { type: "text.delta", text: "c" },
      { type: "reasoning.delta", text: "e" },
    ],
    effects: [{ type: "hangup" }, { type: "kill" }],
  });
});

test("a step in which nothing happened is empty", () => {
  expect(new StepWriter({}).step).toEqual({ state: {}, events: [], deltas: [], effects: [] });
});

test("a written dialect begins each step afresh, from the state it is given", () => {
  const dialect = writtenDialect<State>({
    start: { heard: 0, asked: "" },
    hear: (writer, { kind }) => void writer.set({ heard: writer.state.heard + 1 }).effect({ type: "say", text: kind }),
    ask: (writer, { type }) => void writer.set({ asked: type }).event({ type: "text.ended", text: type }),
  });
  expect(dialect.start).toEqual({ heard: 0, asked: "" });
  const once = dialect.hear(dialect.start, { kind: "launched" });
  expect(once).toEqual({
    state: { heard: 1, asked: "" },
    events: [],
    deltas: [],
    effects: [{ type: "say", text: "launched" }],
  });
  expect(dialect.hear(dialect.start, { kind: "launched" })).toEqual(once);
  expect(dialect.ask(once.state, { type: "pause" })).toEqual({
    state: { heard: 1, asked: "pause" },
    events: [{ type: "text.ended", text: "pause" }],
    deltas: [],
    effects: [],
  });
});

test("a warning, a failure, and a line that is not understood, of which only so much is kept", () => {
  const { events } = new StepWriter({})
    .warn("Careful.")
    .raise({ category: "timed-out", says: "Late." })
    .unrecognized("x".repeat(5000)).step;
  expect(events).toEqual([
    { type: "status.reported", level: "warning", message: "Careful." },
    { type: "error.raised", category: "timed-out", message: "Late." },
    { type: "unrecognized", reason: "not a known message", raw: "x".repeat(4000) },
  ]);
});
