import fc from "fast-check";
import type { AgentEvent } from "@fairlead/contract";
import { expect, test } from "vitest";
import { callAskedAbout, callDenied, callEnded, callRequested, callStarted, type Calls } from "./calls.ts";
import { StepWriter } from "./step-writer.ts";

const request = { call: "c", name: "Bash", input: { command: "ls" }, parent: "b" };
const writerWith = (calls: Calls = {}): StepWriter<{ calls: Calls }> => new StepWriter({ calls });
const types = (writer: StepWriter<{ calls: Calls }>): string[] => (writer.step.events ?? []).map(({ type }) => type);

test("a call is requested, started once, and ended once with the name it was asked for by", () => {
  const writer = writerWith();
  callRequested(writer, request);
  expect(writer.state.calls).toEqual({ c: { name: "Bash", input: request.input, started: false } });
  callStarted(writer, "c");
  callStarted(writer, "c");
  expect(writer.state.calls).toEqual({ c: { name: "Bash", input: request.input, started: true } });
  callEnded(writer, "c", { output: "a.txt", reason: undefined });
  callEnded(writer, "c", { output: "again", reason: undefined });
  expect(writer.state.calls).toEqual({});
  expect(writer.step.events).toStrictEqual<AgentEvent[]>([
    { type: "tool.requested", ...request },
    { type: "tool.started", call: "c" },
    { type: "tool.ended", call: "c", name: "Bash", ok: true, output: "a.txt" },
  ]);
});

test.each([
  ["that is well", undefined, true],
  ["that failed", "failed", true],
  ["that was denied", "denied", false],
  ["that was interrupted", "interrupted", false],
  ["that did not finish", "unfinished", false],
] as const)("a call %s says whether it ran, though the agent did not", (_, reason, ran) => {
  const other = { name: "Read", input: {}, started: true };
  const writer = writerWith({ c: { name: "Bash", input: {}, started: false }, d: other });
  callEnded(writer, "c", { output: "so", reason });
  expect(types(writer)).toEqual(ran ? ["tool.started", "tool.ended"] : ["tool.ended"]);
  expect(writer.step.events?.at(-1)).toStrictEqual({
    type: "tool.ended",
    call: "c",
    name: "Bash",
    ok: reason === undefined,
    output: "so",
    ...(reason && { reason }),
  });
  expect(writer.state.calls).toEqual({ d: other });
});

test("a call that was denied ends as denied, though the agent says only that it failed", () => {
  const writer = writerWith();
  callRequested(writer, request);
  callDenied(writer, "c");
  callEnded(writer, "c", { output: "No.", reason: "failed" });
  expect(types(writer)).toEqual(["tool.requested", "tool.ended"]);
  expect(writer.step.events?.at(-1)).toMatchObject({ ok: false, reason: "denied" });
});

test("of a call that was denied and is said to have been interrupted, that is told", () => {
  const writer = writerWith({ c: { name: "Bash", input: {}, started: false, denied: true } });
  callEnded(writer, "c", { output: "", reason: "interrupted" });
  expect(writer.step.events).toMatchObject([{ type: "tool.ended", reason: "interrupted" }]);
});

test("a call runs with the input that somebody changed it to", () => {
  const writer = writerWith();
  callRequested(writer, request);
  callStarted(writer, "c", { command: "pwd" });
  expect(writer.state.calls["c"]).toEqual({ name: "Bash", input: { command: "pwd" }, started: true });
});

test("an agent that does not say which call it asks about means one by that name that is not decided yet", () => {
  const open = (path: string) => ({ name: "Write", input: { path }, started: false });
  const calls: Calls = {
    a: { ...open("x"), started: true },
    b: { ...open("x"), denied: true },
    c: { ...open("x"), name: "Read" },
    d: open("y"),
    e: open("x"),
  };
  expect(callAskedAbout(calls, "Write", { path: "x" })).toBe("e");
  expect(callAskedAbout(calls, "Write", { path: "elsewhere" })).toBe("d");
  expect(callAskedAbout(calls, "Bash", {})).toBeUndefined();
});

test("calls that nobody asked for are passed over", () => {
  const writer = writerWith();
  callStarted(writer, "c");
  callDenied(writer, "c");
  callEnded(writer, "c", { output: "", reason: "failed" });
  expect(writer.step).toEqual({ state: { calls: {} }, events: [], deltas: [], effects: [] });
});

test("however an agent mixes them up, no call is started twice or ended twice", () => {
  const call = fc.constantFrom("a", "b", "c");
  const act = fc.record({ call, does: fc.constantFrom("start", "end", "fail", "deny") });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30, size: "max" }), (acts) => {
      const writer = writerWith();
      for (const name of ["a", "b"]) callRequested(writer, { call: name, name, input: {} });
      for (const { call: one, does } of acts) {
        if (does === "start") callStarted(writer, one);
        else
          callEnded(writer, one, {
            output: "",
            reason: { end: undefined, fail: "failed", deny: "denied" }[does] as "failed",
          });
      }
      const told = (writer.step.events ?? []).map((event) => `${event.type} ${"call" in event ? event.call : ""}`);
      expect(new Set(told).size).toBe(told.length);
      expect(told.filter((one) => one.endsWith(" c"))).toEqual([]);
    }),
  );
});
