import { Answer } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { type AnswerDraft, createAnswerDraft, denial, draftFor, readDraft, startEditing } from "./answer-draft.ts";

const approval = { digest: "d".repeat(64), kind: "approval" } as const;
const draft = (changed: Partial<AnswerDraft>): AnswerDraft => ({ ...createAnswerDraft(approval), ...changed });

describe("an answer", () => {
  it.each<[string, AnswerDraft, object | null]>([
    ["allows once", draft({}), { type: "allow" }],
    ["allows for the session", draft({ mode: "scope", scope: { type: "session" } }), { remember: "session" }],
    ["allows from now on", draft({ mode: "scope", scope: { type: "rule" } }), { remember: "rule" }],
    ["names an option of the agent", draft({ mode: "scope", scope: { type: "option", id: "a" } }), { option: "a" }],
    ["needs a chosen scope", draft({ mode: "scope" }), null],
    ["has the edited input", draft({ mode: "edit", input: '{"command":"ls"}' }), { input: { command: "ls" } }],
    ["needs valid JSON", draft({ mode: "edit", input: "{" }), null],
    ["denies with words", draft({ mode: "words", words: " no " }), { type: "deny", message: "no" }],
    ["needs words to deny with words", draft({ mode: "words", words: " " }), null],
  ])("%s", (_, given, expected) => {
    const answer = readDraft(approval, given);
    if (expected === null) return expect(answer).toBeNull();
    expect(answer).toMatchObject({ ...expected, digest: approval.digest });
    expect(Answer.safeParse(answer).success).toBe(true);
  });

  it("to questions names all of them, options in their order", () => {
    const options = ["a", "b", "c"].map((label) => ({ label }));
    const questions = [
      { text: "Which?", options, multiSelect: true },
      { text: "Why?", options: [], multiSelect: false },
    ];
    const view = { ...approval, kind: "question" as const, questions };
    const first = { labels: ["c", "a"], words: "" };
    expect(readDraft(view, draft({ questions: [first] }))).toBeNull();
    const second = { labels: [], words: " because " };
    const answer = readDraft(view, draft({ questions: [first, second] }));
    expect(answer).toEqual({
      type: "choose",
      digest: approval.digest,
      answers: { "Which?": "a, c", "Why?": "because" },
    });
  });

  it("that denies names the digest", () => {
    expect(denial(approval, true)).toEqual({ type: "deny", digest: approval.digest, message: "", interrupt: true });
  });
});

it("an edited input begins as JSON in which nothing is invisible, and parses to the same", () => {
  const input = { command: "ls\u202e\u200b" };
  const { mode, input: text } = startEditing({ ...approval, input }, draft({}));
  expect([mode, JSON.parse(text)]).toEqual(["edit", input]);
  expect(text).toContain("\\u202e\\u200b");
});

it("a draft is for one request: another one with its id begins anew, and sends nothing of it", () => {
  const other = { ...approval, digest: "e".repeat(64), input: { command: "rm" } };
  const prepared = draft({ mode: "scope", scope: { type: "rule" }, input: '{"command":"ls"}' });
  expect(draftFor(approval, prepared)).toBe(prepared);
  expect(draftFor(other, prepared)).toEqual(createAnswerDraft(other));
  expect(readDraft(other, prepared)).toBeNull();
  expect(startEditing(other, prepared)).toEqual({
    ...createAnswerDraft(other),
    mode: "edit",
    input: '{"command":"rm"}',
  });
});
