import { existsSync } from "node:fs";
import { join } from "node:path";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { eventsUntil, Ground } from "../local/ground-for-test.ts";
import { EditorForTest, select } from "./editor-for-test.ts";

const write = { tools: [{ name: "write", input: { path: "note.txt", content: "x" } }] };
const hello = withScript("Greet.", [{ text: "Good day to you." }]);
const writing = withScript("Write.", [write, { text: "Done." }]);

describe("loading", () => {
  test("tells the history to a new editor, and the conversation goes on", async () => {
    await using ground = new Ground();
    const first = await ground.open();
    let session: string;
    {
      await using editor = new EditorForTest(first);
      session = await editor.open(ground.folder);
      editor.answering = ({ options }) => select(options, "allow_once");
      await editor.prompt(session, hello);
      await editor.prompt(session, writing);
    }
    expect(await first.session(session)).toMatchObject({ state: "paused" });
    await ground.close(first);
    const second = await ground.open();
    await using editor = new EditorForTest(second);
    await editor.initialize();
    await editor.load(session, ground.folder);
    expect(editor.said("user_message_chunk")).toBe(hello + writing);
    expect(editor.said("agent_message_chunk")).toBe("Good day to you.Done.");
    expect(editor.updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toHaveLength(1);
    expect(editor.asked).toEqual([]);
    editor.updates.length = 0;
    expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
    expect(editor.said("agent_message_chunk")).toBe("Good day to you.");
    expect(await second.session(session)).toMatchObject({ turns: 3 });
  });

  test("of a session that waits asks again, and what follows is told", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    const { session } = await fairlead.start({ workspace: ground.folder, prompt: writing });
    await eventsUntil(fairlead, session, "decision.requested");
    await using editor = new EditorForTest(fairlead);
    editor.answering = ({ options }) => select(options, "allow_once");
    await editor.initialize();
    await editor.load(session, ground.folder);
    await editor.until(() => editor.said("agent_message_chunk") === "Done.");
    expect(existsSync(join(ground.folder, "note.txt"))).toBe(true);
  });

  test("of a session that has ended goes on in another, which is the same to the editor", async () => {
    await using ground = new Ground();
    const fairlead = await ground.open();
    const { session } = await fairlead.start({ workspace: ground.folder, prompt: hello });
    await eventsUntil(fairlead, session, "turn.ended");
    await fairlead.stop(session);
    for (const times of [1, 2]) {
      await using editor = new EditorForTest(fairlead);
      await editor.initialize();
      await editor.load(session, ground.folder);
      expect(editor.said("agent_message_chunk")).toBe("Good day to you.".repeat(times));
      expect((await editor.prompt(session, hello)).stopReason).toBe("end_turn");
    }
    expect(await fairlead.sessions()).toHaveLength(2);
  });

  test("of a session that nobody knows is refused by its name", async () => {
    await using ground = new Ground();
    await using editor = new EditorForTest(await ground.open());
    await editor.initialize();
    const load = editor.load("nosuchsession", ground.folder);
    await expect(load).rejects.toMatchObject({ code: -32002, data: { sessionId: "nosuchsession" } });
  });
});
