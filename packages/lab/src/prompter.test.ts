import { expect, test } from "vitest";
import type { Message, Question } from "./api.ts";
import { openPrompter } from "./prompter.ts";
import { script } from "./script.ts";
import type { Step } from "./step.ts";

function ask(conversation: readonly Message[], hasTools = true): Question {
  return { model: "some-model", hasTools, streamed: true, conversation };
}
function user(text: string): Message {
  return { role: "user", text };
}
const assistant: Message = { role: "assistant", text: "" };

test("the number of answers since the script is the step", () => {
  const prompt = openPrompter();
  const given = user(script([{ text: "one" }, { text: "two" }]));
  expect(prompt(ask([given]))).toEqual({ text: "one" });
  expect(prompt(ask([given, assistant, user("")]))).toEqual({ text: "two" });
  expect(prompt(ask([given, assistant, user(""), assistant, user("")]))).toEqual({ text: "The script is over." });
});

test("a new script begins at its first step", () => {
  const conversation = [user(script([{ text: "old" }])), assistant, user(script([{ text: "new" }]))];
  expect(openPrompter()(ask(conversation))).toEqual({ text: "new" });
});

test("only a user gives a script", () => {
  const prompt = openPrompter();
  const text = script([{ text: "one" }]);
  expect(prompt(ask([{ role: "other", text }]))).toEqual({ text: "No script was given." });
  expect(prompt(ask([{ role: "assistant", text }]))).toEqual({ text: "No script was given." });
});

test("a request without tools gets a title", () => {
  const step = openPrompter()(ask([user(script([{ text: "one" }]))], false));
  expect(step.text).toContain("title");
});

test("a failure passes after so many times, each time the prompt is given", () => {
  const prompt = openPrompter();
  const failing: Step = { error: { status: 429, times: 2, afterwards: { text: "at last" } } };
  const question = ask([user(script([failing]))]);
  const outcomes = Array.from({ length: 6 }, () => prompt(question).text ?? "failed");
  expect(outcomes).toEqual(["failed", "failed", "at last", "failed", "failed", "at last"]);
});

test("a failure passes into a text, and one without a number never passes", () => {
  const prompt = openPrompter();
  const passing = ask([user(script([{ error: { status: 500, times: 1 } }]))]);
  expect([prompt(passing).text, prompt(passing).text]).toEqual([undefined, "recovered"]);
  const lasting = ask([user(script([{ error: { status: 500 } }]))]);
  expect(Array.from({ length: 20 }, () => prompt(lasting).error?.status)).toEqual(
    Array.from({ length: 20 }, () => 500),
  );
});
