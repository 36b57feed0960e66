import { existsSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { TestEditor, selectOption } from "@fairlead/testing/server/test-editor.ts";

const write = { tools: [{ name: "write", input: { path: "note.txt", content: "x" } }] };
const hello = withScript("Greet.", [{ think: "Well.", text: "Good day to you.", chunks: 4 }]);
const writing = withScript("Write.", [write, { text: "Done." }]);
const slow = withScript("Count.", [{ text: "one two three four", chunks: 4, chunkDelay: 100_000 }]);
const failing = withScript("Fail.", [{ error: { status: 401 } }]);
const asking = (multiSelect: boolean): string => {
  const questions = [{ text: "Which?", options: [{ label: "Tea" }, { label: "Milk" }], several: multiSelect }];
  return withScript("Ask.", [{ tools: [{ name: "ask", input: { questions } }] }, { text: "Thanks." }]);
};

describe("a prompt", () => {
  test("is answered in chunks without duplicates, and is not echoed to the editor", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    const response = await editor.prompt(session, hello);
    expect(response.stopReason).toBe("end_turn");
    expect(editor.textOf("agent_message_chunk")).toBe("Good day to you.");
    expect(editor.textOf("agent_thought_chunk")).toBe("Well.");
    expect(editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk").length).toBe(4);
    expect(editor.textOf("user_message_chunk")).toBe("");
  });

  test("that fails is rejected with the agent's message and the error category", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    await expect(editor.prompt(session, failing)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("401"),
      data: { category: "not-authenticated" },
    });
    expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
  });

  test("from another client is shown in the editor, with its text", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    await using editor = new TestEditor(fairlead);
    const session = await editor.open(testHome.folder);
    await editor.prompt(session, hello);
    await fairlead.send(session, withScript("By the way.", [{ text: "Indeed." }]));
    await editor.waitUntil(() => editor.textOf("agent_message_chunk").includes("Indeed."));
    expect(editor.textOf("user_message_chunk")).toContain("By the way.");
  });
});

describe("a permission request", () => {
  test("offers to allow or reject once, and the call runs if it is allowed", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    editor.onPermissionRequest = ({ options }) => selectOption(options, "allow_once");
    expect((await editor.prompt(session, writing)).stopReason).toBe("end_turn");
    expect(editor.permissionRequests).toMatchObject([{ toolCall: { title: "write note.txt", kind: "edit" } }]);
    expect(editor.permissionRequests[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(true);
    const call = editor.permissionRequests[0]?.toolCall.toolCallId;
    const callUpdates = editor.updates.filter((update) => "toolCallId" in update && update.toolCallId === call);
    expect(callUpdates.flatMap((update) => ("status" in update ? [update.status] : []))).toEqual([
      "pending",
      "in_progress",
      "completed",
    ]);
    expect(callUpdates).toContainEqual(
      expect.objectContaining({ locations: [{ path: join(testHome.folder, "note.txt") }] }),
    );
  });

  test("that is rejected prevents the call, and the turn continues", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    expect((await editor.prompt(session, writing)).stopReason).toBe("end_turn");
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(false);
    expect(editor.textOf("agent_message_chunk")).toBe("Done.");
    const failed = editor.updates.find((update) => "status" in update && update.status === "failed");
    expect(failed).toMatchObject({ _meta: { fairlead: { reason: "denied" } } });
  });

  test("that fails in the editor counts as rejected", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    editor.onPermissionRequest = () => {
      throw new Error("no window");
    };
    expect((await editor.prompt(session, writing)).stopReason).toBe("end_turn");
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(false);
  });

  test("is withdrawn if another client answers, and the turn continues", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    await using editor = new TestEditor(fairlead);
    const session = await editor.open(testHome.folder);
    editor.onPermissionRequest = () => new Promise(() => {});
    const prompt = editor.prompt(session, writing);
    await editor.waitUntil(() => editor.permissionRequests.length === 1);
    const [decision] = await fairlead.decisions();
    await fairlead.answer(session, decision!.decision, { type: "allow" });
    expect((await prompt).stopReason).toBe("end_turn");
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(true);
  });

  test("is not sent in the mode full-auto", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open(), { mode: "full-auto" });
    const session = await editor.open(testHome.folder);
    await editor.prompt(session, writing);
    expect(editor.permissionRequests).toEqual([]);
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(true);
  });
});

describe("a question", () => {
  test("is a choice between its options if the editor has no forms", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    await using editor = new TestEditor(fairlead);
    const session = await editor.open(testHome.folder);
    editor.onPermissionRequest = ({ options }) => ({ outcome: "selected", optionId: options[1]!.optionId });
    await editor.prompt(session, asking(false));
    expect(editor.permissionRequests[0]?.options.map(({ name }) => name)).toEqual(["Tea", "Milk", "None of these"]);
    const events = await collectEventsUntil(fairlead, session, "turn.ended");
    const resolved = events.find(({ body }) => body.type === "decision.resolved");
    expect(resolved?.body).toMatchObject({ outcome: "answered", answers: { "Which?": "Milk" } });
  });

  test("is a form if the editor supports forms", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    await using editor = new TestEditor(fairlead, {}, { elicitation: { form: {} } });
    const session = await editor.open(testHome.folder);
    editor.onElicitation = () => ({ action: "accept", content: { "question-1": ["Tea", "Milk"] } });
    await editor.prompt(session, asking(true));
    expect(editor.permissionRequests).toEqual([]);
    const events = await collectEventsUntil(fairlead, session, "turn.ended");
    const resolved = events.find(({ body }) => body.type === "decision.resolved");
    expect(resolved?.body).toMatchObject({ answers: { "Which?": "Tea, Milk" } });
  });
});

describe("a cancellation", () => {
  test("interrupts the turn, and the next prompt is answered", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    const prompt = editor.prompt(session, slow);
    await editor.waitUntil(() => editor.textOf("agent_message_chunk") !== "");
    await editor.cancel(session);
    expect((await prompt).stopReason).toBe("cancelled");
    expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
  });

  test("that arrives before the turn starts is applied", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    const session = await editor.open(testHome.folder);
    const prompt = editor.prompt(session, slow);
    await editor.cancel(session);
    expect((await prompt).stopReason).toBe("cancelled");
  });

  test("that arrives while a paused session is resumed is applied", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    await using editor = new TestEditor(fairlead);
    const session = await editor.open(testHome.folder);
    await editor.prompt(session, hello);
    await fairlead.pause(session);
    const prompt = editor.prompt(session, slow);
    await editor.cancel(session);
    expect((await prompt).stopReason).toBe("cancelled");
    expect(editor.logLines).toEqual([]);
  });

  test("withdraws an open permission request, and the call does not run", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    await using editor = new TestEditor(fairlead);
    const session = await editor.open(testHome.folder);
    const { promise, resolve } = Promise.withResolvers<{ outcome: "cancelled" }>();
    editor.onPermissionRequest = () => promise;
    const prompt = editor.prompt(session, writing);
    await editor.waitUntil(() => editor.permissionRequests.length === 1);
    await editor.cancel(session);
    resolve({ outcome: "cancelled" });
    expect((await prompt).stopReason).toBe("cancelled");
    expect(await fairlead.decisions()).toEqual([]);
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(false);
  });
});

describe("an editor that disconnects", () => {
  test("leaves a running turn to finish", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    let session: string;
    {
      await using editor = new TestEditor(fairlead);
      editor.onPermissionRequest = () => new Promise(() => {});
      session = await editor.open(testHome.folder);
      void editor.prompt(session, writing).catch(() => {});
      await editor.waitUntil(() => editor.permissionRequests.length === 1);
    }
    const [decision] = await fairlead.decisions();
    await fairlead.answer(session, decision!.decision, { type: "allow" });
    await collectEventsUntil(fairlead, session, "turn.ended");
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(true);
  });
});

test("initialize reports the capabilities of the agent", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  await using editor = new TestEditor(fairlead, { agent: "scripted" });
  const { agentCapabilities, agentInfo } = await editor.initialize();
  expect(agentInfo).toMatchObject({ name: "fairlead", title: "Scripted agent (Fairlead)" });
  expect(agentCapabilities).toMatchObject({ loadSession: true, promptCapabilities: { embeddedContext: true } });
  await using other = new TestEditor(fairlead, { agent: "shell" });
  const { capabilities = [] } = (await fairlead.agents()).find(({ agent }) => agent === "shell") ?? {};
  expect((await other.initialize()).agentCapabilities?.loadSession).toBe(capabilities.includes("resume"));
  await using unknown = new TestEditor(fairlead, { agent: "no-such-agent" });
  await expect(unknown.initialize()).rejects.toMatchObject({ message: expect.stringContaining("no-such-agent") });
});

test("sessions are listed by folder, described with their mode, and paused on close", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  await using editor = new TestEditor(fairlead, { mode: "accept-edits" });
  await editor.initialize();
  const opened = await editor.agent.request(methods.agent.session.new, { cwd: testHome.folder, mcpServers: [] });
  const { sessionId } = opened;
  expect(opened.modes).toMatchObject({ currentModeId: "accept-edits", availableModes: [{ id: "accept-edits" }] });
  const list = await editor.agent.request(methods.agent.session.list, { cwd: testHome.folder });
  expect(list.sessions).toMatchObject([{ sessionId, cwd: testHome.folder }]);
  expect((await editor.agent.request(methods.agent.session.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
  await editor.agent.request(methods.agent.session.close, { sessionId });
  expect(await fairlead.session(sessionId)).toMatchObject({ state: "paused" });
});
