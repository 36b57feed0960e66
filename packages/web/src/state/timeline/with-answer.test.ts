import type { AgentEvent } from "@fairlead/contract";
import { toJournal } from "@fairlead/testing/web/lawful-session.ts";
import { expect, test } from "vitest";
import { runTimeOf } from "./with-answer.ts";
import { toCallWords } from "./call-words.ts";
import { appendEvents, emptyTimeline } from "./timeline.ts";
import type { ToolRow } from "./timeline-row.ts";

const asked: readonly AgentEvent[] = [
  { type: "turn.started", turn: "1", input: "do", origin: "user" },
  {
    type: "tool.requested",
    call: "a",
    name: "shell",
    input: { command: "rm a" },
    action: { kind: "run", command: "rm a" },
  },
  { type: "decision.requested", decision: "x", kind: "approval", title: "rm a", call: "a" },
  { type: "plan.updated", steps: [] },
];
const ended: readonly AgentEvent[] = [
  { type: "tool.started", call: "a" },
  { type: "tool.ended", call: "a", name: "shell", ok: true, output: "a" },
];

/** The row of the call, of events with a second between each two. */
function callOf(answer: Partial<Extract<AgentEvent, { type: "decision.resolved" }>>): ToolRow {
  const resolved = { type: "decision.resolved", decision: "x", outcome: "allowed", by: { kind: "person" } } as const;
  const events = toJournal([...asked, { ...resolved, ...answer }, ...ended]);
  const { rows } = appendEvents(emptyTimeline(250), events).pages[0]!;
  const row = rows.find(({ type }) => type === "tool");
  if (row?.type !== "tool") throw new Error("No row of the call.");
  return row;
}

test("a call shows the input that a person allowed instead, and what was asked for", () => {
  const row = callOf({ input: { command: "ls a" } });
  expect(toCallWords(row)).toEqual({ verb: "run", object: "ls a" });
  expect(row.requested).toEqual({ input: { command: "rm a" }, action: { kind: "run", command: "rm a" } });
});

test("a call that was allowed as asked shows what was asked for", () => {
  const row = callOf({});
  expect(toCallWords(row)).toEqual({ verb: "run", object: "rm a" });
  expect(row.requested).toBeNull();
});

test("the time of a call leaves out the wait for an answer", () => {
  // Five seconds from the request of the call to its end, of which two were a wait.
  expect(runTimeOf(callOf({}))).toBe(3_000);
});
