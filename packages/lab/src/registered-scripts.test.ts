import { expect, test } from "vitest";
import { openLab, type Lab } from "./lab.ts";
import { RegisteredScripts } from "./registered-scripts.ts";
import { scriptPrompt } from "./script.ts";

const addTest = "Add a test for the parser";
const addTestAndRun = "Add a test for the parser and run it";
const addedSteps = [{ text: "I add a test." }, { text: "It is added." }];

/** A prompt as Claude Code sends it: blocks with reminders around the person's text. */
function wrapped(prompt: string): object {
  const reminder = { type: "text", text: "<system-reminder>\nToday is a Monday.\n</system-reminder>" };
  return { role: "user", content: [reminder, { type: "text", text: prompt }, reminder] };
}
const assistant = { role: "assistant", content: [{ type: "text", text: "…" }] };
const toolResult = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }] };

/** Sends a conversation and returns the text of the answer. */
async function ask(lab: Lab, messages: readonly object[], request: object = {}): Promise<string | undefined> {
  const body = JSON.stringify({ model: "large-model", tools: [{ name: "Read" }], messages, ...request });
  const answer = await fetch(`${lab.url}/v1/messages`, { method: "POST", body });
  const { content } = (await answer.json()) as { content: { text?: string }[] };
  return content[0]?.text;
}

test("answers each of two prompts with its own script, within what an agent adds around them", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  lab.registerScript("Write the changelog", [{ text: "I write it." }]);
  expect(await ask(lab, [wrapped(addTest)])).toBe("I add a test.");
  expect(await ask(lab, [wrapped("Write the changelog")])).toBe("I write it.");
  expect(await ask(lab, [{ role: "user", content: addTest }])).toBe("I add a test.");
});

test("continues the script after a tool result, and says when it is over", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  expect(await ask(lab, [wrapped(addTest), assistant, toolResult])).toBe("It is added.");
  expect(await ask(lab, [wrapped(addTest), assistant, toolResult, assistant, toolResult])).toBe("The script is over.");
});

test("starts the script of the newest prompt in a second turn, also if it repeats the first prompt", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  lab.registerScript("What did you do?", [{ text: "I added a test." }]);
  const firstTurn = [wrapped(addTest), assistant, toolResult, assistant];
  expect(await ask(lab, [...firstTurn, wrapped("What did you do?")])).toBe("I added a test.");
  expect(await ask(lab, [...firstTurn, wrapped(addTest)])).toBe("I add a test.");
});

test("selects the step from the conversation alone, so that a new process of the agent continues it", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  const history = [wrapped(addTest), assistant, toolResult];
  // A new process sends the whole history again, with other reminders, and other sessions ask in between.
  expect(await ask(lab, history)).toBe("It is added.");
  expect(await ask(lab, [wrapped(addTest)])).toBe("I add a test.");
  expect(await ask(lab, [{ role: "user", content: `<context>${addTest}</context>` }, assistant, toolResult])).toBe(
    "It is added.",
  );
});

test.each([
  [addTestAndRun, [addTest, addTestAndRun]],
  [addTestAndRun, [addTestAndRun, addTest]],
  ["Do not run it", ["run it", "Do not run it"]],
  ["Do not run it", ["Do not run it", "run it"]],
])("uses the script of %j when %j are registered", (prompt, registered) => {
  const scripts = new RegisteredScripts();
  for (const one of registered) scripts.register(one, [{ text: one }]);
  expect(scripts.find(`<user>${prompt}</user>`)).toEqual([{ text: prompt }]);
});

test("uses the last prompt of a message that joins an interrupted prompt and the next one", async () => {
  await using lab = await openLab();
  lab.registerScript(addTestAndRun, [{ text: "I add and run it." }]);
  lab.registerScript("Stop", [{ text: "I stop." }]);
  const content = [addTestAndRun, "[Request interrupted by user]", "Stop"].map((text) => ({ type: "text", text }));
  expect(await ask(lab, [{ role: "user", content }])).toBe("I stop.");
});

test("does not answer a prompt that is not registered, or that only the agent or a tool has mentioned", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  expect(await ask(lab, [wrapped("Add a test")])).toBe("No script was given.");
  const mentioned = { role: "assistant", content: [{ type: "text", text: addTest }] };
  const printed = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: addTest }] };
  expect(await ask(lab, [wrapped("Hello"), mentioned, printed])).toBe("No script was given.");
});

test("does not use up a script for a title that the small model is asked for", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  const titleRequest = { model: "small-model", tools: [] };
  expect(await ask(lab, [wrapped(addTest)], titleRequest)).toContain("title");
  expect(await ask(lab, [wrapped(addTest)])).toBe("I add a test.");
  expect(await ask(lab, [wrapped(addTest), assistant], titleRequest)).toContain("title");
  expect(await ask(lab, [wrapped(addTest), assistant, toolResult])).toBe("It is added.");
});

test("prefers a script that the message carries, replaces a script, and refuses an empty prompt", async () => {
  await using lab = await openLab();
  lab.registerScript(addTest, addedSteps);
  expect(await ask(lab, [wrapped(scriptPrompt([{ text: "Carried." }], addTest))])).toBe("Carried.");
  lab.registerScript(` ${addTest}\n`, [{ text: "Replaced." }]);
  expect(await ask(lab, [wrapped(addTest)])).toBe("Replaced.");
  expect(() => lab.registerScript(" \n", addedSteps)).toThrow("empty prompt");
});
