import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent, Delta, Event } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { Updates } from "./updates.ts";

let sequence = 0;
function event(body: AgentEvent): Event {
  sequence += 1;
  const envelope = { id: `s/${sequence}`, session: "s", sequence, epoch: 1, turn: "t", agent: "p", model: null };
  return { ...envelope, occurredAt: "2026-01-01T00:00:00.000Z", spool: sequence, synthetic: false, body };
}

function told(...items: readonly (AgentEvent | Delta)[]): SessionUpdate[] {
  const updates = new Updates("/w");
  const isDelta = (one: AgentEvent | Delta): one is Delta => /delta$|^screen$/.test(one.type);
  return items.flatMap((one) => updates.take(isDelta(one) ? one : event(one)));
}

function words(updates: readonly SessionUpdate[], kind = "agent_message_chunk"): string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === kind && "content" in update && update.content && "text" in update.content
      ? [update.content.text]
      : [],
  );
}

const delta = (text: string): Delta => ({ type: "text.delta", text });
const text = (said: string): AgentEvent => ({ type: "text.ended", text: said });
const over: AgentEvent = { type: "turn.ended", turn: "t", outcome: "interrupted" };

describe("words", () => {
  test.each([
    ["whole, when nothing came before", [text("One two.")], ["One two."]],
    ["as they come, and not again", [delta("One "), delta("two."), text("One two.")], ["One ", "two."]],
    ["the rest of them, when the last did not come", [delta("One "), text("One two.")], ["One ", "two."]],
    ["whole and apart, when the first did not come", [delta("two"), text("One two.")], ["two", "\n\nOne two."]],
    ["not again, when the model began anew", [delta("On"), delta("One."), text("One.")], ["On", "One."]],
    ["apart from the piece before", [text("One."), delta("Two."), text("Two.")], ["One.", "\n\nTwo."]],
    ["of a broken-off turn not held against the next", [delta("On"), over, text("One.")], ["On", "One."]],
  ] satisfies [string, (AgentEvent | Delta)[], string[]][])("are said %s", (_, items, expected) => {
    expect(words(told(...items))).toEqual(expected);
  });

  test("of a person's terminal and of sub-agents on their way are not said", () => {
    expect(told({ type: "screen", text: "x" }, { ...delta("x"), parent: "c" })).toEqual([]);
  });

  test("of thinking are thoughts, and a message is the user's", () => {
    const updates = told(
      { type: "turn.started", turn: "t", input: "Do it.", origin: "user" },
      { type: "turn.steered", turn: "t", text: "Quickly." },
      { type: "reasoning.delta", text: "H" },
      { type: "reasoning.ended", text: "Hm." },
    );
    expect(words(updates, "agent_thought_chunk")).toEqual(["H", "m."]);
    expect(words(updates, "user_message_chunk")).toEqual(["Do it.", "Quickly."]);
    expect(told({ type: "turn.started", turn: "t", input: "", origin: "agent" })).toEqual([]);
  });
});

describe("a call", () => {
  const call = "c";
  test("is told from its request to its end, with all of its output and every file", () => {
    const updates = told(
      { type: "tool.requested", call, name: "Bash", input: { command: "make\n  all" } },
      { type: "tool.started", call },
      { type: "tool.progressed", call, output: "one " },
      { type: "tool.progressed", call, output: "two" },
      { type: "file.changed", path: "a.txt", change: "created", call },
      { type: "file.changed", path: "/x/b.txt", change: "modified", call },
      { type: "tool.ended", call, name: "Bash", ok: true, output: "one two three" },
    );
    const content = (said: string) => [{ type: "content", content: { type: "text", text: said } }];
    expect(updates).toMatchObject([
      { sessionUpdate: "tool_call", title: "Bash make all", kind: "execute", status: "pending" },
      { status: "in_progress" },
      { content: content("one ") },
      { content: content("one two") },
      { locations: [{ path: "/w/a.txt" }] },
      { locations: [{ path: "/w/a.txt" }, { path: "/x/b.txt" }] },
      { status: "completed", content: content("one two three") },
    ]);
  });

  test("that went wrong has failed, and says how", () => {
    const [update] = told({ type: "tool.ended", call, name: "x", ok: false, output: "", reason: "interrupted" });
    expect(update).toMatchObject({ status: "failed", _meta: { fairlead: { reason: "interrupted" } } });
    expect(update).not.toHaveProperty("content");
  });

  test("in which a sub-agent speaks has its words", () => {
    const [update] = told({ type: "text.ended", text: "Found.", parent: call });
    expect(update).toMatchObject({ toolCallId: call, content: [{ content: { text: "Found.\n" } }] });
  });
});

test("a plan is told whole", () => {
  const steps = [
    { text: "first", state: "done" },
    { text: "then", state: "active" },
    { text: "last", state: "pending" },
  ] as const;
  const [plan] = told({ type: "plan.updated", steps: [...steps] });
  expect(plan).toMatchObject({ entries: [{ status: "completed" }, { status: "in_progress" }, { status: "pending" }] });
});
