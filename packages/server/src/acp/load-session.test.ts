import { existsSync } from "node:fs";
import { join } from "node:path";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { TestEditor, selectOption } from "@fairlead/testing/server/test-editor.ts";

const write = { tools: [{ name: "write", input: { path: "note.txt", content: "x" } }] };
const hello = withScript("Greet.", [{ text: "Good day to you." }]);
const writing = withScript("Write.", [write, { text: "Done." }]);

describe("loading a session", () => {
  test("sends the history to a new editor, which can continue the conversation", async () => {
    await using testHome = new ServiceTestHome();
    const first = await testHome.open();
    let session: string;
    {
      await using editor = new TestEditor(first);
      session = await editor.open(testHome.folder);
      editor.onPermissionRequest = ({ options }) => selectOption(options, "allow_once");
      await editor.prompt(session, hello);
      await editor.prompt(session, writing);
    }
    expect(await first.session(session)).toMatchObject({ state: "paused" });
    await testHome.close(first);
    const second = await testHome.open();
    await using editor = new TestEditor(second);
    await editor.initialize();
    await editor.load(session, testHome.folder);
    expect(editor.textOf("user_message_chunk")).toBe(hello + writing);
    expect(editor.textOf("agent_message_chunk")).toBe("Good day to you.Done.");
    expect(editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(1);
    expect(editor.permissionRequests).toEqual([]);
    editor.updates.length = 0;
    expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
    expect(editor.textOf("agent_message_chunk")).toBe("Good day to you.");
    expect(await second.session(session)).toMatchObject({ turns: 3 });
  });

  test("requests an open decision again and forwards the events after it", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    const { session } = await fairlead.start({ workspace: testHome.folder, prompt: writing });
    await collectEventsUntil(fairlead, session, "decision.requested");
    await using editor = new TestEditor(fairlead);
    editor.onPermissionRequest = ({ options }) => selectOption(options, "allow_once");
    await editor.initialize();
    await editor.load(session, testHome.folder);
    await editor.waitUntil(() => editor.textOf("agent_message_chunk") === "Done.");
    expect(existsSync(join(testHome.folder, "note.txt"))).toBe(true);
  });

  test("continues an ended session in a new one, under the same id for the editor", async () => {
    await using testHome = new ServiceTestHome();
    const fairlead = await testHome.open();
    const { session } = await fairlead.start({ workspace: testHome.folder, prompt: hello });
    await collectEventsUntil(fairlead, session, "turn.ended");
    await fairlead.stop(session);
    for (const times of [1, 2]) {
      await using editor = new TestEditor(fairlead);
      await editor.initialize();
      await editor.load(session, testHome.folder);
      expect(editor.textOf("agent_message_chunk")).toBe("Good day to you.".repeat(times));
      expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
    }
    expect((await fairlead.sessions()).sessions).toHaveLength(2);
  });

  test("rejects an unknown session with its id", async () => {
    await using testHome = new ServiceTestHome();
    await using editor = new TestEditor(await testHome.open());
    await editor.initialize();
    const load = editor.load("nosuchsession", testHome.folder);
    await expect(load).rejects.toMatchObject({ code: -32002, data: { sessionId: "nosuchsession" } });
  });
});
