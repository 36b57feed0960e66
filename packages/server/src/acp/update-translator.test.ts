import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent, Delta, Event } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { UpdateTranslator } from "./update-translator.ts";

let sequence = 0;
function event(body: AgentEvent): Event {
  sequence += 1;
  const envelope = { id: `s/${sequence}`, session: "s", sequence, epoch: 1, turn: "t", agent: "p", model: null };
  return { ...envelope, occurredAt: "2026-01-01T00:00:00.000Z", spool: sequence, synthetic: false, body };
}

function translateAll(...items: readonly (AgentEvent | Delta)[]): SessionUpdate[] {
  const updates = new UpdateTranslator("/w");
  const isDelta = (item: AgentEvent | Delta): item is Delta => /delta$|^screen$/.test(item.type);
  return items.flatMap((item) => updates.translate(isDelta(item) ? item : event(item)));
}

function textChunks(updates: readonly SessionUpdate[], kind = "agent_message_chunk"): string[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === kind && "content" in update && update.content && "text" in update.content
      ? [update.content.text]
      : [],
  );
}

const delta = (text: string): Delta => ({ type: "text.delta", text });
const textEnded = (text: string): AgentEvent => ({ type: "text.ended", text });
const part = (text: string, number: number, last?: true): AgentEvent => ({
  type: "text.ended",
  text,
  part: number,
  ...(last && { last }),
});
const turnInterrupted: AgentEvent = { type: "turn.ended", turn: "t", outcome: "interrupted" };

describe("text", () => {
  test.each([
    ["as a whole if there were no deltas", [textEnded("One two.")], ["One two."]],
    ["as deltas, and not again", [delta("One "), delta("two."), textEnded("One two.")], ["One ", "two."]],
    ["with its rest if the last delta was lost", [delta("One "), textEnded("One two.")], ["One ", "two."]],
    [
      "again as a separate paragraph if the first delta was lost",
      [delta("two"), textEnded("One two.")],
      ["two", "\n\nOne two."],
    ],
    ["not again if the model restarted", [delta("On"), delta("One."), textEnded("One.")], ["On", "One."]],
    [
      "as a separate paragraph after another text",
      [textEnded("One."), delta("Two."), textEnded("Two.")],
      ["One.", "\n\nTwo."],
    ],
    [
      "as one text if it ends in parts",
      [part("One ", 1), part("two.", 2, true), textEnded("3")],
      ["One ", "two.", "\n\n3"],
    ],
    [
      "as deltas and not again if it ends in parts",
      [delta("One "), part("One ", 1), delta("two."), part("two.", 2, true), textEnded("3")],
      ["One ", "two.", "\n\n3"],
    ],
    [
      "once if a delta crosses the end of a part",
      [delta("One t"), part("One ", 1), delta("wo. 3"), part("two. ", 2), part("3", 3, true), textEnded("4")],
      ["One t", "wo. 3", "\n\n4"],
    ],
    ["once if all of it was one delta", [delta("xxxxx"), part("xx", 1), part("xx", 2), part("x", 3, true)], ["xxxxx"]],
    [
      "as parts only, after the first delta was lost",
      [delta("e t"), part("One ", 1), delta("wo."), part("two.", 2, true)],
      ["e t", "\n\nOne ", "two."],
    ],
    ["as a whole after an interrupted turn", [delta("On"), turnInterrupted, textEnded("One.")], ["On", "One."]],
  ] satisfies [string, (AgentEvent | Delta)[], string[]][])("is sent %s", (_, items, expected) => {
    expect(textChunks(translateAll(...items))).toEqual(expected);
  });

  test("deltas of the terminal screen and of sub-agents are not sent", () => {
    expect(translateAll({ type: "screen", text: "x" }, { ...delta("x"), parent: "c" })).toEqual([]);
  });

  test("reasoning becomes thought chunks, and messages become user chunks", () => {
    const updates = translateAll(
      { type: "turn.started", turn: "t", input: "Do it.", origin: "user" },
      { type: "turn.steered", turn: "t", text: "Quickly." },
      { type: "reasoning.delta", text: "H" },
      { type: "reasoning.ended", text: "Hm." },
    );
    expect(textChunks(updates, "agent_thought_chunk")).toEqual(["H", "m."]);
    expect(textChunks(updates, "user_message_chunk")).toEqual(["Do it.", "Quickly."]);
    expect(translateAll({ type: "turn.started", turn: "t", input: "", origin: "agent" })).toEqual([]);
  });
});

describe("a tool call", () => {
  const call = "c";
  test("is reported from its request to its end, with all of its output and every file", () => {
    const updates = translateAll(
      { type: "tool.requested", call, name: "Bash", input: { command: "make\n  all" } },
      { type: "tool.started", call },
      { type: "tool.progressed", call, output: "one " },
      { type: "tool.progressed", call, output: "two" },
      { type: "file.changed", path: "a.txt", change: "created", call },
      { type: "file.changed", path: "/x/b.txt", change: "modified", call },
      { type: "tool.ended", call, name: "Bash", ok: true, output: "one two three" },
    );
    const content = (text: string) => [{ type: "content", content: { type: "text", text } }];
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

  test("that fails has the status failed and the reason", () => {
    const [update] = translateAll({
      type: "tool.ended",
      call,
      name: "x",
      ok: false,
      output: "",
      reason: "interrupted",
    });
    expect(update).toMatchObject({ status: "failed", _meta: { fairlead: { reason: "interrupted" } } });
    expect(update).not.toHaveProperty("content");
  });

  test("contains the text of its sub-agent", () => {
    const [update] = translateAll({ type: "text.ended", text: "Found.", parent: call });
    expect(update).toMatchObject({ toolCallId: call, content: [{ content: { text: "Found.\n" } }] });
  });
});

test("a plan update contains all steps", () => {
  const steps = [
    { text: "first", state: "done" },
    { text: "then", state: "active" },
    { text: "last", state: "pending" },
  ] as const;
  const [plan] = translateAll({ type: "plan.updated", steps: [...steps] });
  expect(plan).toMatchObject({ entries: [{ status: "completed" }, { status: "in_progress" }, { status: "pending" }] });
});
