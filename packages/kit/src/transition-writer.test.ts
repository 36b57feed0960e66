import type { Transition } from "@fairlead/contract";
import { expect, test } from "vitest";
import { TransitionWriter } from "./transition-writer.ts";
import { defineDialect } from "./define-dialect.ts";

interface State {
  readonly observations: number;
  readonly lastCommand: string;
}

test("a transition contains all writes in order, and the initial state does not change", () => {
  const before: State = Object.freeze({ observations: 0, lastCommand: "" });
  const writer = new TransitionWriter(before)
    .set({ observations: 1 })
    .event({ type: "text.ended", text: "a" }, { type: "text.ended", text: "b" })
    .delta({ type: "text.delta", text: "c" })
    .event({ type: "text.ended", text: "d" })
    .effect({ type: "close-stdin" }, { type: "kill" })
    .delta({ type: "reasoning.delta", text: "e" })
    .set({ lastCommand: "open" });
  expect(writer.transition).toEqual<Transition<State>>({
    state: { observations: 1, lastCommand: "open" },
    events: ["a", "b", "d"].map((text) => ({ type: "text.ended", text })),
    deltas: [
      { type: "text.delta", text: "c" },
      { type: "reasoning.delta", text: "e" },
    ],
    effects: [{ type: "close-stdin" }, { type: "kill" }],
  });
});

test("a transition without writes is empty", () => {
  expect(new TransitionWriter({}).transition).toEqual({ state: {}, events: [], deltas: [], effects: [] });
});

test("a defined dialect starts each transition from the given state only", () => {
  const dialect = defineDialect<State>({
    initialState: { observations: 0, lastCommand: "" },
    observe: (writer, { kind }) =>
      void writer.set({ observations: writer.state.observations + 1 }).effect({ type: "write", text: kind }),
    handle: (writer, { type }) => void writer.set({ lastCommand: type }).event({ type: "text.ended", text: type }),
  });
  expect(dialect.initialState).toEqual({ observations: 0, lastCommand: "" });
  const once = dialect.observe(dialect.initialState, { kind: "launched" });
  expect(once).toEqual({
    state: { observations: 1, lastCommand: "" },
    events: [],
    deltas: [],
    effects: [{ type: "write", text: "launched" }],
  });
  expect(dialect.observe(dialect.initialState, { kind: "launched" })).toEqual(once);
  expect(dialect.handle(once.state, { type: "pause" })).toEqual({
    state: { observations: 1, lastCommand: "pause" },
    events: [{ type: "text.ended", text: "pause" }],
    deltas: [],
    effects: [],
  });
});

test("writes warnings, errors and unrecognized lines, and shortens long lines", () => {
  const { events } = new TransitionWriter({})
    .warn("Careful.")
    .raise({ category: "timed-out", message: "Late." })
    .unrecognized("x".repeat(5000))
    .unrecognized("?", "no result").transition;
  expect(events).toEqual([
    { type: "status.reported", level: "warning", message: "Careful." },
    { type: "error.raised", category: "timed-out", message: "Late." },
    { type: "unrecognized", reason: "not a known message", raw: "x".repeat(4000) },
    { type: "unrecognized", reason: "no result", raw: "?" },
  ]);
});
