import fc from "fast-check";
import { keyedMap, type AgentEvent } from "@fairlead/contract";
import { expect, test } from "vitest";
import {
  findUndecidedCall,
  callDenied,
  callEnded,
  callRequested,
  callStarted,
  noCalls,
  type Calls,
  type OpenCall,
} from "./calls.ts";
import { TransitionWriter } from "./transition-writer.ts";

const request = { call: "c", name: "Bash", input: { command: "ls" }, parent: "b" };
const writerWith = (calls: Readonly<Record<string, OpenCall>> = {}): TransitionWriter<{ calls: Calls }> =>
  new TransitionWriter({ calls: keyedMap.from(calls) });
const eventTypes = (writer: TransitionWriter<{ calls: Calls }>): string[] =>
  (writer.transition.events ?? []).map(({ type }) => type);
const openCalls = (writer: TransitionWriter<{ calls: Calls }>): Record<string, OpenCall> =>
  Object.fromEntries(keyedMap.entries(writer.state.calls));

test("a call is requested, started once, and ended once with its requested name", () => {
  const writer = writerWith();
  callRequested(writer, request);
  expect(openCalls(writer)).toEqual({ c: { name: "Bash", input: request.input, started: false } });
  callStarted(writer, "c");
  callStarted(writer, "c");
  expect(openCalls(writer)).toEqual({ c: { name: "Bash", input: request.input, started: true } });
  callEnded(writer, "c", { output: "a.txt", reason: undefined });
  callEnded(writer, "c", { output: "again", reason: undefined });
  expect(openCalls(writer)).toEqual({});
  expect(writer.transition.events).toStrictEqual<AgentEvent[]>([
    { type: "tool.requested", ...request },
    { type: "tool.started", call: "c" },
    { type: "tool.ended", call: "c", name: "Bash", ok: true, output: "a.txt" },
  ]);
});

test.each([
  ["that succeeds", undefined, true],
  ["that fails", "failed", true],
  ["that is denied", "denied", false],
  ["that is interrupted", "interrupted", false],
  ["that does not finish", "unfinished", false],
] as const)("a call %s is started first only if it ran", (_, reason, ran) => {
  const other = { name: "Read", input: {}, started: true };
  const writer = writerWith({ c: { name: "Bash", input: {}, started: false }, d: other });
  callEnded(writer, "c", { output: "so", reason });
  expect(eventTypes(writer)).toEqual(ran ? ["tool.started", "tool.ended"] : ["tool.ended"]);
  expect(writer.transition.events?.at(-1)).toStrictEqual({
    type: "tool.ended",
    call: "c",
    name: "Bash",
    ok: reason === undefined,
    output: "so",
    ...(reason && { reason }),
  });
  expect(openCalls(writer)).toEqual({ d: other });
});

test("a denied call ends as denied, although the agent reports a failure", () => {
  const writer = writerWith();
  callRequested(writer, request);
  callDenied(writer, "c");
  callEnded(writer, "c", { output: "No.", reason: "failed" });
  expect(eventTypes(writer)).toEqual(["tool.requested", "tool.ended"]);
  expect(writer.transition.events?.at(-1)).toMatchObject({ ok: false, reason: "denied" });
});

test("a denied call that the agent reports as interrupted ends as interrupted", () => {
  const writer = writerWith({ c: { name: "Bash", input: {}, started: false, denied: true } });
  callEnded(writer, "c", { output: "", reason: "interrupted" });
  expect(writer.transition.events).toMatchObject([{ type: "tool.ended", reason: "interrupted" }]);
});

test("a call runs with the edited input", () => {
  const writer = writerWith();
  callRequested(writer, request);
  callStarted(writer, "c", { command: "pwd" });
  expect(openCalls(writer)["c"]).toEqual({ name: "Bash", input: { command: "pwd" }, started: true });
});

test("finds the undecided call of that name, preferably with the same input", () => {
  const open = (path: string) => ({ name: "Write", input: { path }, started: false });
  const calls = keyedMap.from<OpenCall>({
    a: { ...open("x"), started: true },
    b: { ...open("x"), denied: true },
    c: { ...open("x"), name: "Read" },
    d: open("y"),
    e: open("x"),
  });
  expect(findUndecidedCall(calls, "Write", { path: "x" })).toBe("e");
  expect(findUndecidedCall(calls, "Write", { path: "elsewhere" })).toBe("d");
  expect(findUndecidedCall(calls, "Bash", {})).toBeUndefined();
});

test("ignores calls that were not requested", () => {
  const writer = writerWith();
  callStarted(writer, "c");
  callDenied(writer, "c");
  callEnded(writer, "c", { output: "", reason: "failed" });
  expect(writer.transition).toEqual({ state: { calls: noCalls }, events: [], deltas: [], effects: [] });
});

test("starts and ends no call twice, in whatever order the agent reports", () => {
  const call = fc.constantFrom("a", "b", "c");
  const anyReport = fc.record({ call, report: fc.constantFrom("start", "end", "fail", "deny") });
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 30, size: "max" }), (reports) => {
      const writer = writerWith();
      for (const name of ["a", "b"]) callRequested(writer, { call: name, name, input: {} });
      for (const { call: id, report } of reports) {
        if (report === "start") callStarted(writer, id);
        else
          callEnded(writer, id, {
            output: "",
            reason: { end: undefined, fail: "failed", deny: "denied" }[report] as "failed",
          });
      }
      const written = (writer.transition.events ?? []).map(
        (event) => `${event.type} ${"call" in event ? event.call : ""}`,
      );
      expect(new Set(written).size).toBe(written.length);
      expect(written.filter((event) => event.endsWith(" c"))).toEqual([]);
    }),
  );
});
