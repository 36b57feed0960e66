import type { Question } from "@fairlead/contract";

/** What a person has chosen or typed so far for one question. One of both is empty. */
export interface QuestionDraft {
  readonly labels: readonly string[];
  readonly words: string;
}

export const emptyQuestionDraft: QuestionDraft = { labels: [], words: "" };

/** Returns the answers to all questions by their texts; null while one has no answer. */
export function readAnswers(
  questions: readonly Question[],
  drafts: readonly QuestionDraft[],
): Record<string, string> | null {
  const answers = questions.map(({ text, options }, at): readonly [string, string] => {
    const { labels, words } = drafts[at] ?? emptyQuestionDraft;
    // In the order of the options, however they were chosen.
    const chosen = options.map(({ label }) => label).filter((label) => labels.includes(label));
    return [text, chosen.length > 0 ? chosen.join(", ") : words.trim()];
  });
  return answers.every(([, answer]) => answer !== "") ? Object.fromEntries(answers) : null;
}
