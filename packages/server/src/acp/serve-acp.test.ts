import { existsSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { eventsUntil, Ground } from "../local/ground-for-test.ts";
import { EditorForTest, select } from "./editor-for-test.ts";

const write = { tools: [{ name: "write", input: { path: "note.txt", content: "x" } }] };
const hello = withScript("Greet.", [{ think: "Well.", text: "Good day to you.", chunks: 4 }]);
const writing = withScript("Write.", [write, { text: "Done." }]);
const slow = withScript("Count.", [{ text: "one two three four", chunks: 4, chunkDelay: 100_000 }]);
const failing = withScript("Fail.", [{ error: { status: 401 } }]);
const asking = (several: boolean): string => {
  const questions = [{ text: "Which?", options: [{ label: "Tea" }, { label: "Milk" }], several }];
  return withScript("Ask.", [{ tools: [{ name: "ask", input: { questions } }] }, { text: "Thanks." }]);
};

describe("a prompt", () => {
  test("is answered in chunks that are said once, and the editor's own words are not said back", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    const response = await editor.prompt(session, hello);
    expect(response.stopReason).toBe("end_turn");
    expect(editor.said("agent_message_chunk")).toBe("Good day to you.");
    expect(editor.said("agent_thought_chunk")).toBe("Well.");
    expect(editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk").length).toBe(4);
    expect(editor.said("user_message_chunk")).toBe("");
  });

  test("that fails is an error with the agent's words and the category", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    await expect(editor.prompt(session, failing)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("401"),
      data: { category: "not-authenticated" },
    });
    expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
  });

  test("that somebody else sent to the session is shown, words and all", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    await using editor = new EditorForTest(fairlead);
    const session = await editor.open(ground.folder);
    await editor.prompt(session, hello);
    await fairlead.send(session, withScript("By the way.", [{ text: "Indeed." }]));
    await editor.until(() => editor.said("agent_message_chunk").includes("Indeed."));
    expect(editor.said("user_message_chunk")).toContain("By the way.");
  });
});

describe("a permission", () => {
  test("is asked for with yes and no for this once, and a yes lets the call run", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    editor.answering = ({ options }) => select(options, "allow_once");
    expect((await editor.prompt(session, writing)).stopReason).toBe("end_turn");
    expect(editor.asked).toMatchObject([{ toolCall: { title: "write note.txt", kind: "edit" } }]);
    expect(editor.asked[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(true);
    const call = editor.asked[0]?.toolCall.toolCallId;
    const told = editor.updates.filter((update) => "toolCallId" in update && update.toolCallId === call);
    expect(told.flatMap((update) => ("status" in update ? [update.status] : []))).toEqual([
      "pending",
      "in_progress",
      "completed",
    ]);
    expect(told).toContainEqual(expect.objectContaining({ locations: [{ path: join(ground.folder, "note.txt") }] }));
  });

  test("that is refused keeps the call from running, and the turn goes on", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    expect((await editor.prompt(session, writing)).stopReason).toBe("end_turn");
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(false);
    expect(editor.said("agent_message_chunk")).toBe("Done.");
    const failed = editor.updates.find((update) => "status" in update && update.status === "failed");
    expect(failed).toMatchObject({ _meta: { fairlead: { reason: "denied" } } });
  });

  test("that an editor cannot ask for is refused", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    editor.answering = () => {
      throw new Error("no window");
    };
    expect((await editor.prompt(session, writing)).stopReason).toBe("end_turn");
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(false);
  });

  test("that was given elsewhere is withdrawn, and the turn goes on", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    await using editor = new EditorForTest(fairlead);
    const session = await editor.open(ground.folder);
    editor.answering = () => new Promise(() => {});
    const prompt = editor.prompt(session, writing);
    await editor.until(() => editor.asked.length === 1);
    const [decision] = await fairlead.decisions();
    await fairlead.answer(session, decision!.decision, { type: "allow" });
    expect((await prompt).stopReason).toBe("end_turn");
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(true);
  });

  test("is not asked for in a mode in which the runtime gives it", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open(), { mode: "full-auto" });
    const session = await editor.open(ground.folder);
    await editor.prompt(session, writing);
    expect(editor.asked).toEqual([]);
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(true);
  });
});

describe("a question", () => {
  test("is a choice between its options where there are no forms", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    await using editor = new EditorForTest(fairlead);
    const session = await editor.open(ground.folder);
    editor.answering = ({ options }) => ({ outcome: "selected", optionId: options[1]!.optionId });
    await editor.prompt(session, asking(false));
    expect(editor.asked[0]?.options.map(({ name }) => name)).toEqual(["Tea", "Milk", "None of these"]);
    const events = await eventsUntil(fairlead, session, "turn.ended");
    const resolved = events.find(({ body }) => body.type === "decision.resolved");
    expect(resolved?.body).toMatchObject({ outcome: "answered", answers: { "Which?": "Milk" } });
  });

  test("is a form where there are", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    await using editor = new EditorForTest(fairlead, {}, { elicitation: { form: {} } });
    const session = await editor.open(ground.folder);
    editor.filling = () => ({ action: "accept", content: { "question-1": ["Tea", "Milk"] } });
    await editor.prompt(session, asking(true));
    expect(editor.asked).toEqual([]);
    const events = await eventsUntil(fairlead, session, "turn.ended");
    const resolved = events.find(({ body }) => body.type === "decision.resolved");
    expect(resolved?.body).toMatchObject({ answers: { "Which?": "Tea, Milk" } });
  });
});

describe("a cancellation", () => {
  test("interrupts the turn, and the next prompt is answered", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    const prompt = editor.prompt(session, slow);
    await editor.until(() => editor.said("agent_message_chunk") !== "");
    await editor.cancel(session);
    expect((await prompt).stopReason).toBe("cancelled");
    expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
  });

  test("that comes before the turn has begun is not forgotten", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    const session = await editor.open(ground.folder);
    const prompt = editor.prompt(session, slow);
    await editor.cancel(session);
    expect((await prompt).stopReason).toBe("cancelled");
  });

  test("that comes while a paused session is only being resumed is not forgotten either", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    await using editor = new EditorForTest(fairlead);
    const session = await editor.open(ground.folder);
    await editor.prompt(session, hello);
    await fairlead.pause(session);
    const prompt = editor.prompt(session, slow);
    await editor.cancel(session);
    expect((await prompt).stopReason).toBe("cancelled");
    expect(editor.logged).toEqual([]);
  });

  test("withdraws an open permission, and the call does not run", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    await using editor = new EditorForTest(fairlead);
    const session = await editor.open(ground.folder);
    const { promise, resolve } = Promise.withResolvers<{ outcome: "cancelled" }>();
    editor.answering = () => promise;
    const prompt = editor.prompt(session, writing);
    await editor.until(() => editor.asked.length === 1);
    await editor.cancel(session);
    resolve({ outcome: "cancelled" });
    expect((await prompt).stopReason).toBe("cancelled");
    expect(await fairlead.decisions()).toEqual([]);
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(false);
  });
});

describe("an editor that hangs up", () => {
  test("leaves a running turn to finish", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    let session: string;
    {
      await using editor = new EditorForTest(fairlead);
      editor.answering = () => new Promise(() => {});
      session = await editor.open(ground.folder);
      void editor.prompt(session, writing).catch(() => {});
      await editor.until(() => editor.asked.length === 1);
    }
    const [decision] = await fairlead.decisions();
    await fairlead.answer(session, decision!.decision, { type: "allow" });
    await eventsUntil(fairlead, session, "turn.ended");
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(true);
  });
});

test("what is said of the agent is what it has", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  await using editor = new EditorForTest(fairlead, { agent: "scripted" });
  const { agentCapabilities, agentInfo } = await editor.initialize();
  expect(agentInfo).toMatchObject({ name: "fairlead", title: "Scripted agent (Fairlead)" });
  expect(agentCapabilities).toMatchObject({ loadSession: true, promptCapabilities: { embeddedContext: true } });
  await using other = new EditorForTest(fairlead, { agent: "shell" });
  const { capabilities = [] } = (await fairlead.agents()).find(({ agent }) => agent === "shell") ?? {};
  expect((await other.initialize()).agentCapabilities?.loadSession).toBe(capabilities.includes("resume"));
  await using unknown = new EditorForTest(fairlead, { agent: "nobody" });
  await expect(unknown.initialize()).rejects.toMatchObject({ message: expect.stringContaining("nobody") });
});

test("sessions are listed by their folder, shown with their mode, and closed by a pause", async () => {
  await using ground = new Ground();
  const fairlead = await ground.open();
  await using editor = new EditorForTest(fairlead, { mode: "accept-edits" });
  await editor.initialize();
  const opened = await editor.agent.request(methods.agent.session.new, { cwd: ground.folder, mcpServers: [] });
  const { sessionId } = opened;
  expect(opened.modes).toMatchObject({ currentModeId: "accept-edits", availableModes: [{ id: "accept-edits" }] });
  const list = await editor.agent.request(methods.agent.session.list, { cwd: ground.folder });
  expect(list.sessions).toMatchObject([{ sessionId, cwd: ground.folder }]);
  expect((await editor.agent.request(methods.agent.session.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
  await editor.agent.request(methods.agent.session.close, { sessionId });
  expect(await fairlead.session(sessionId)).toMatchObject({ state: "paused" });
});
