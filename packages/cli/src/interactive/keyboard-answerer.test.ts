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
  return await answerTo(decision, capabilities, ...lines);
}

async function answerTo(request: RequestedDecision, capabilities: readonly Capability[], ...lines: readonly string[]) {
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
  return { answer: await answerer.answer(request, new AbortController().signal), questions, written };
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

const grants = [{ command: "npm test", categories: [] }];

test("a person may allow what has the same first words, for the session or from now on", async () => {
  const request: RequestedDecision = {
    ...decision,
    reading: { verdict: "ask", reason: "r", rule: null, commands: [], grants },
  };
  const session = await answerTo(request, [], "a", "s");
  expect(session.questions).toEqual([
    "Allow? [y]es  [n]o  [a]lways  [s]top ",
    "Always allow `npm test …`: in this [s]ession, [f]rom now on, or [n]o? ",
  ]);
  expect(session.answer).toEqual({ type: "allow", remember: "session" });
  expect((await answerTo(request, [], "a", "f")).answer).toEqual({ type: "allow", remember: "rule" });
  // Neither a mistake nor leaving allows anything.
  expect((await answerTo(request, [], "a", "x", "s")).answer).toMatchObject({ type: "deny" });
  expect((await answerTo(request, [], "a")).answer).toBeNull();
});

test("what cannot be allowed in general is not offered, and typing a allows nothing", async () => {
  const { answer, questions, written } = await answerWith([], "a", "s");
  expect(questions[0]).not.toContain("[a]lways");
  expect(written).toContain("cannot be allowed in general");
  expect(answer).toMatchObject({ type: "deny" });
});

test("an option of the agent is chosen by its number", async () => {
  const options = [
    { id: "x", label: "Once" },
    { id: "y", label: "Always", scope: "always" as const },
  ];
  const { answer, questions } = await answerTo({ ...decision, options }, [], "o", "2");
  expect(questions[0]).toContain("[o]ption");
  expect(answer).toEqual({ type: "allow", option: "y" });
  expect((await answerTo({ ...decision, options }, [], "o", "9", "s")).answer).toMatchObject({ type: "deny" });
});
