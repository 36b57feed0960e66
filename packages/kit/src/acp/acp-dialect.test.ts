import { describe, expect, test } from "vitest";
import { hello, opened, over, prompted, send, Talk, writing } from "./talk-for-test.ts";

describe("entering", () => {
  test("it offers neither files nor terminals, and refuses what it does not do", () => {
    const talk = prompted();
    expect(talk.said[0]?.params?.["clientCapabilities"]).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    });
    talk.says({ id: 7, method: "fs/read_text_file", params: {} }).says({ id: 8, method: "x/y", params: {} });
    expect(talk.said.slice(-2)).toMatchObject([
      { id: 7, error: { code: -32601 } },
      { id: 8, error: { code: -32601 } },
    ]);
    expect(talk.told.filter((type) => type === "unrecognized")).toHaveLength(1);
  });

  test("a message that comes early begins its turn at once and is said when the conversation has been entered", () => {
    const talk = new Talk({ mode: "plan", options: { model: "big" } }).ask({ type: "open" }).ask(send);
    expect(talk.told).toEqual(["turn.started"]);
    talk.answers("initialize", { result: hello }).answers("session/new", { result: { sessionId: "s" } });
    expect(talk.said.map(({ method }) => method).slice(-2)).toEqual(["session/set_mode", "session/set_config_option"]);
    talk.answers("session/set_mode", { result: {} });
    expect(talk.said.at(-1)?.method).toBe("session/set_config_option");
    talk.answers("session/set_config_option", { result: {} });
    expect(talk.said.at(-1)).toMatchObject({
      method: "session/prompt",
      params: { sessionId: "s", prompt: [{ type: "text", text: "Do it." }] },
    });
  });

  test("a mode that cannot be had fails the turn and ends the session, for the user relies on it", () => {
    const talk = new Talk({ mode: "plan" }).ask({ type: "open" }).ask(send).answers("initialize", { result: hello });
    talk.answers("session/new", { result: { sessionId: "s" } });
    talk.answers("session/set_mode", { error: { code: -32603, message: "no", data: { details: "untrusted" } } });
    expect(talk.event("error.raised")?.message).toContain("the mode plan: no (untrusted)");
    expect(talk.event("turn.ended")?.outcome).toBe("failed");
    expect(talk.effects.at(-1)).toEqual({ type: "hangup" });
  });

  test("it signs in only when that is demanded, once", () => {
    const talk = opened({ authMethod: "key" }).answers("session/new", { error: { code: -32000, message: "sign in" } });
    expect(talk.said.at(-1)).toMatchObject({ method: "authenticate", params: { methodId: "key" } });
    talk.answers("authenticate", { result: {} });
    expect(talk.said.at(-1)?.method).toBe("session/new");
    talk.answers("session/new", { error: { code: -32000, message: "sign in" } });
    expect(talk.event("error.raised")?.category).toBe("not-authenticated");
  });

  test("another version of the protocol is not spoken", () => {
    const talk = opened({}, { ...hello, protocolVersion: 2 });
    expect(talk.event("error.raised")?.message).toContain("version 2");
    expect(talk.effects.at(-1)).toEqual({ type: "hangup" });
  });
});

describe("resuming", () => {
  test("what is replayed is not told again, and the answer proves the resume", () => {
    const talk = opened({ continues: "old" }).ask(send).speaks("Long ago.");
    expect(talk.said.at(-1)).toMatchObject({ method: "session/load", params: { sessionId: "old", cwd: "/w" } });
    expect(talk.told).toEqual([]);
    talk.answers("session/load", { result: {} });
    expect(talk.told).toEqual(["session.changed", "session.resumed", "turn.started"]);
    over(talk.speaks("Now."));
    expect(talk.event("text.ended")?.text).toBe("Now.");
  });

  test("without a replay where that is offered", () => {
    const sessionCapabilities = { resume: {} };
    const talk = opened(
      { continues: "old" },
      { ...hello, agentCapabilities: { loadSession: true, sessionCapabilities } },
    );
    expect(talk.said.at(-1)?.method).toBe("session/resume");
  });

  test("a replay that outlasts its answer is waited out", () => {
    const quirks = { replayQuiet: 300, loadPrefix: " " };
    const talk = opened({ continues: "old", quirks }).ask(send).answers("session/load", { result: {} });
    talk.speaks("Long ago.");
    expect(talk.effects.at(-1)).toEqual({ type: "alarm", name: "settled", after: 300 });
    expect(talk.said.at(-1)?.method).toBe("session/load");
    talk.hear({ kind: "alarm", name: "settled" });
    expect(talk.said.at(-1)).toMatchObject({ method: "session/prompt", params: { sessionId: " old" } });
    expect(talk.event("session.resumed")?.agentSessionId).toBe("old");
    expect(over(talk).event("text.ended")).toBeUndefined();
  });

  test("what it does not know is an error of that kind, and nothing is begun", () => {
    const talk = opened({ continues: "old" }).ask(send);
    talk.answers("session/load", { error: { code: -32603, message: "Internal error" } });
    expect(talk.told).toEqual(["error.raised"]);
    expect(talk.event("error.raised")?.category).toBe("session-not-found");
    expect(talk.effects.at(-1)).toEqual({ type: "hangup" });
  });
});

describe("a turn", () => {
  test("text is whole when something else begins", () => {
    const talk = prompted().speaks("One ").speaks("two.");
    talk.updates({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } }).speaks("Three.");
    over(talk);
    const spoken = talk.events.flatMap((event) => ("text" in event ? [[event.type, event.text]] : []));
    expect(spoken).toEqual([
      ["text.ended", "One two."],
      ["reasoning.ended", "Hm."],
      ["text.ended", "Three."],
    ]);
    expect(talk.deltas.map(({ text }) => text)).toEqual(["One ", "two.", "Hm.", "Three."]);
  });

  test("a call is told when its input is known, started when it is allowed, and ended once", () => {
    const talk = prompted({ quirks: { toolName: "title" } });
    talk.updates({ sessionUpdate: "tool_call", toolCallId: "c1", title: "write", kind: "edit", status: "pending" });
    expect(talk.told).not.toContain("tool.requested");
    talk.updates({
      ...writing,
      sessionUpdate: "tool_call_update",
      status: "in_progress",
      rawInput: { path: "note.txt" },
    });
    talk.asksFor(0, { ...writing, rawInput: { diff: "..." } });
    expect(talk.event("decision.requested")).toMatchObject({ call: "c1", tool: "write", input: { path: "note.txt" } });
    expect(talk.told).not.toContain("tool.started");
    talk.ask({ type: "answer", decision: "permission-1", answer: { type: "allow" }, by: "user" });
    expect(talk.said.at(-1)).toMatchObject({
      id: 0,
      result: { outcome: { outcome: "selected", optionId: "option 0" } },
    });
    const done = { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" };
    over(talk.updates(done).updates(done));
    expect(talk.told.filter((type) => /tool|file/.test(type))).toEqual([
      "tool.requested",
      "tool.started",
      "file.changed",
      "tool.ended",
    ]);
    expect(talk.event("file.changed")).toMatchObject({ path: "/w/note.txt", change: "created" });
  });

  test("an option is chosen by its kind, and of none that fits the request is called off", () => {
    const talk = prompted().asksFor(3, writing, ["allow_always", "reject_once", "allow_once", "allow_once"]);
    talk.ask({ type: "answer", decision: "permission-1", answer: { type: "allow" }, by: "user" });
    expect(talk.said.at(-1)?.["result"]).toEqual({ outcome: { outcome: "selected", optionId: "option 2" } });
    talk.asksFor(4, { ...writing, toolCallId: "c2" }, ["allow_once"]);
    const deny = { type: "deny", message: "No.", interrupt: false } as const;
    talk.ask({ type: "answer", decision: "permission-2", answer: deny, by: "user" });
    expect(talk.said.at(-1)?.["result"]).toEqual({ outcome: { outcome: "cancelled" } });
    expect(talk.event("tool.ended")).toMatchObject({ call: "c2", ok: false, reason: "denied" });
  });

  test("an edited input is not passed over: the call is refused, and that is said", () => {
    const talk = prompted().asksFor(0, writing);
    talk.ask({ type: "answer", decision: "permission-1", answer: { type: "allow", input: {} }, by: "user" });
    expect(talk.said.at(-1)?.["result"]).toEqual({ outcome: { outcome: "selected", optionId: "option 1" } });
    expect(talk.event("status.reported")?.message).toContain("edited input");
    expect(talk.told).not.toContain("tool.started");
  });

  test("a cancel calls off what is asked, and the turn ends as interrupted whatever the agent says", () => {
    const talk = prompted().asksFor(5, writing).ask({ type: "interrupt" });
    expect(talk.said.slice(-2)).toMatchObject([
      { method: "session/cancel", params: { sessionId: "s" } },
      { id: 5, result: { outcome: { outcome: "cancelled" } } },
    ]);
    expect(over(talk).event("turn.ended")?.outcome).toBe("interrupted");
  });

  test("a turn that does not end when it is cancelled is ended with its process", () => {
    const talk = prompted().ask({ type: "interrupt" }).hear({ kind: "alarm", name: "cancel" });
    expect(talk.effects.at(-1)).toEqual({ type: "kill" });
  });

  test("a command that failed is told by its exit code, or by a report in words", () => {
    const report = /^Output: (?<output>[^]*?)(?:\nExit Code: (?<exit>\d+))?$/;
    const talk = prompted({ quirks: { commandReport: report } });
    const command = { sessionUpdate: "tool_call", kind: "execute", title: "false", status: "completed" };
    talk.updates({ ...command, toolCallId: "a", rawOutput: { metadata: { exit: 3 } } });
    const content = [{ type: "content", content: { type: "text", text: "Output: oh\nExit Code: 1" } }];
    talk.updates({ ...command, toolCallId: "b", content });
    talk.updates({ ...command, toolCallId: "c" });
    const ends = talk.events.flatMap((event) => (event.type === "tool.ended" ? [[event.ok, event.output]] : []));
    expect(ends).toEqual([
      [false, ""],
      [false, "oh"],
      [true, ""],
    ]);
  });

  test("limits and refusals are not passed off as success", () => {
    const outcomes = ["max_turn_requests", "refusal", "cancelled", "end_turn"].map(
      (stopReason) => over(prompted(), { stopReason }).event("turn.ended")?.outcome,
    );
    expect(outcomes).toEqual(["limited", "failed", "interrupted", "completed"]);
  });
});
