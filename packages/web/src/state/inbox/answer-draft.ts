import type { DecisionView } from "@fairlead/api";
import { type Answer, toSafeJsonLine } from "@fairlead/contract";
import { type QuestionDraft, readAnswers } from "./question-draft.ts";

/** What a person prepares on a card. `ask`: nothing but the two main answers. */
export type DraftMode = "ask" | "words" | "scope" | "edit";

/** How long an answer counts: `session`, `rule`, or an option of the agent. */
export type ChosenScope = { readonly type: "session" | "rule" } | { readonly type: "option"; readonly id: string };

export interface AnswerDraft {
  /** The request that it is for. An agent may use the id of a request again. */
  readonly digest: string;
  readonly mode: DraftMode;
  readonly words: string;
  readonly scope: ChosenScope | null;
  /** The input as JSON, while it is edited. */
  readonly input: string;
  readonly questions: readonly QuestionDraft[];
}

export function createAnswerDraft({ digest }: Pick<DecisionView, "digest">): AnswerDraft {
  return { digest, mode: "ask", words: "", scope: null, input: "", questions: [] };
}

/** Returns the draft if it is for this request, and an empty one otherwise. */
export function draftFor(view: Pick<DecisionView, "digest">, draft: AnswerDraft): AnswerDraft {
  return draft.digest === view.digest ? draft : createAnswerDraft(view);
}

/** Begins to edit the input: as JSON in which no character is invisible. */
export function startEditing(view: Pick<DecisionView, "digest" | "input">, draft: AnswerDraft): AnswerDraft {
  const before = draftFor(view, draft);
  return { ...before, mode: "edit", input: before.input === "" ? toSafeJsonLine(view.input) : before.input };
}

/**
 * Returns what the main button would send in the mode of the draft; null while something is missing, or if the draft is
 * for another request. Every answer names the digest of what was shown.
 */
export function readDraft(
  { digest, kind, questions = [] }: Pick<DecisionView, "digest" | "kind" | "questions">,
  draft: AnswerDraft,
): Answer | null {
  if (draft.digest !== digest) return null;
  if (draft.mode === "words") {
    const message = draft.words.trim();
    return message === "" ? null : { type: "deny", digest, message, interrupt: false };
  }
  if (kind === "question") {
    const answers = readAnswers(questions, draft.questions);
    return answers === null ? null : { type: "choose", digest, answers };
  }
  switch (draft.mode) {
    case "ask":
      return { type: "allow", digest };
    case "scope":
      if (draft.scope === null) return null;
      if (draft.scope.type === "option") return { type: "allow", digest, option: draft.scope.id };
      return { type: "allow", digest, remember: draft.scope.type };
    case "edit": {
      const input = parseJson(draft.input);
      return input === null ? null : { type: "allow", digest, input: input.value };
    }
    default:
      return draft.mode satisfies never;
  }
}

/** The plain denial: without words. */
export function denial({ digest }: Pick<DecisionView, "digest">, interrupt: boolean): Answer {
  return { type: "deny", digest, message: "", interrupt };
}

function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
