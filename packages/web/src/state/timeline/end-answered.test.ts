import type { AgentEvent } from "@fairlead/contract";
import { toJournal } from "@fairlead/testing/web/lawful-session.ts";
import { expect, test } from "vitest";
import { isEndAnswered } from "./end-answered.ts";
import { emptyWindow, withPlace } from "./event-window.ts";
import { listRows, type RowList } from "./row-list.ts";

const asked = (decision: string): AgentEvent => ({
  type: "decision.requested",
  decision,
  kind: "approval",
  title: "?",
});
const answered = (decision: string, kind: "person" | "policy" = "person"): AgentEvent => ({
  type: "decision.resolved",
  decision,
  outcome: "allowed",
  by: { kind },
});
const said: AgentEvent = { type: "status.reported", level: "info", message: "On it." };
const rowsOf = (bodies: readonly AgentEvent[]): RowList => {
  const turn: AgentEvent = { type: "turn.started", turn: "1", input: "do", origin: "user" };
  const events = toJournal([turn, ...bodies]);
  return listRows(withPlace(emptyWindow(events.length), events));
};

test.each<[string, AgentEvent[], AgentEvent[], boolean]>([
  ["answered by a person", [asked("x")], [answered("x"), said], true],
  ["one of two that are open", [asked("x"), asked("y")], [answered("x")], true],
  ["not answered", [asked("x")], [said], false],
  // It closes cards while a person reads something else.
  ["answered by the policy", [asked("x")], [answered("x", "policy")], false],
  ["not at the end", [asked("x"), said], [answered("x")], false],
])("a request: %s", (_, before, then, isAnswered) => {
  expect(isEndAnswered(rowsOf(before), rowsOf([...before, ...then]))).toBe(isAnswered);
});
