import type { Capability } from "@fairlead/contract";
import { expect, test } from "vitest";
import { noPaint } from "../render/paint.ts";
import type { RequestedDecision } from "./decision-answerer.ts";
import { KeyboardAnswerer } from "./keyboard-answerer.ts";
import type { Keyboard } from "./keyboard.ts";

const decision: RequestedDecision = {
  type: "decision.requested",
  decision: "d",
  kind: "approval",
  title: "run ls",
  input: { command: "ls" },
};

/** Answers an approval with typed lines. Returns the answer, the questions asked and the text written. */
async function answerWith(capabilities: readonly Capability[], ...lines: readonly string[]) {
  const questions: string[] = [];
  const typed = [...lines];
  const keyboard: Pick<Keyboard, "read"> = {
    read: async (question: string) => {
      questions.push(question);
      return typed.shift() ?? null;
    },
  };
  let written = "";
  const answerer = new KeyboardAnswerer({
    keyboard: keyboard as Keyboard,
    paint: noPaint,
    columns: 80,
    write: (text) => (written += text),
    editor: undefined,
    capabilities,
  });
  return { answer: await answerer.answer(decision, new AbortController().signal), questions, written };
}

test("an agent that takes an edited input gets one", async () => {
  const { answer, questions } = await answerWith(["edited-approvals"], "e", '{"command":"pwd"}');
  expect(questions[0]).toContain("[e]dit");
  expect(answer).toEqual({ type: "allow", input: { command: "pwd" } });
});

test("an agent that does not take an edited input is not offered one, and typing e allows nothing", async () => {
  const { answer, questions, written } = await answerWith([], "e", "x", "n");
  expect(questions).toEqual(Array(3).fill("Allow? [y]es  [n]o  [s]top "));
  expect(written).toContain("cannot run a call with an edited input");
  expect(written).toContain("Type y, n, or s.");
  expect(answer).toEqual({ type: "deny", message: "", interrupt: false });
});

test("a reason is asked for only if the agent can receive it", async () => {
  const { answer, questions } = await answerWith(["told-denials"], "n", "not now");
  expect(questions).toHaveLength(2);
  expect(answer).toEqual({ type: "deny", message: "not now", interrupt: false });
});
