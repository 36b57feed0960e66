import { expect, test } from "vitest";
import type { ApiMessage, ApiQuestion } from "./api.ts";
import { createStepSelector } from "./step-selector.ts";
import { scriptPrompt, type ScriptStep } from "./script.ts";

function createQuestion(conversation: readonly ApiMessage[], hasTools = true): ApiQuestion {
  return { model: "some-model", hasTools, streamed: true, conversation };
}
function user(text: string): ApiMessage {
  return { role: "user", text };
}
const assistant: ApiMessage = { role: "assistant", text: "" };

test("selects the step by the number of answers since the script", () => {
  const selectStep = createStepSelector();
  const scriptMessage = user(scriptPrompt([{ text: "one" }, { text: "two" }]));
  expect(selectStep(createQuestion([scriptMessage]))).toEqual({ text: "one" });
  expect(selectStep(createQuestion([scriptMessage, assistant, user("")]))).toEqual({ text: "two" });
  expect(selectStep(createQuestion([scriptMessage, assistant, user(""), assistant, user("")]))).toEqual({
    text: "The script is over.",
  });
});

test("starts a new script at its first step", () => {
  const conversation = [user(scriptPrompt([{ text: "old" }])), assistant, user(scriptPrompt([{ text: "new" }]))];
  expect(createStepSelector()(createQuestion(conversation))).toEqual({ text: "new" });
});

test("reads a script only from user messages", () => {
  const selectStep = createStepSelector();
  const text = scriptPrompt([{ text: "one" }]);
  expect(selectStep(createQuestion([{ role: "other", text }]))).toEqual({ text: "No script was given." });
  expect(selectStep(createQuestion([{ role: "assistant", text }]))).toEqual({ text: "No script was given." });
});

test("answers a request without tools with a title", () => {
  const step = createStepSelector()(createQuestion([user(scriptPrompt([{ text: "one" }]))], false));
  expect(step.text).toContain("title");
});

test("recovers after the scripted number of failures, and fails again when the prompt is repeated", () => {
  const selectStep = createStepSelector();
  const failing: ScriptStep = { error: { status: 429, times: 2, afterwards: { text: "at last" } } };
  const question = createQuestion([user(scriptPrompt([failing]))]);
  const outcomes = Array.from({ length: 6 }, () => selectStep(question).text ?? "failed");
  expect(outcomes).toEqual(["failed", "failed", "at last", "failed", "failed", "at last"]);
});

test("recovers with a default text, and never recovers without a number of failures", () => {
  const selectStep = createStepSelector();
  const transient = createQuestion([user(scriptPrompt([{ error: { status: 500, times: 1 } }]))]);
  expect([selectStep(transient).text, selectStep(transient).text]).toEqual([undefined, "recovered"]);
  const permanent = createQuestion([user(scriptPrompt([{ error: { status: 500 } }]))]);
  expect(Array.from({ length: 20 }, () => selectStep(permanent).error?.status)).toEqual(
    Array.from({ length: 20 }, () => 500),
  );
});
