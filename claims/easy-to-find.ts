import type { Claim } from "../measure/claim.ts";
import { root } from "../scripts/run.ts";
import { findWrongAnswers, readAnswers } from "../scripts/where-to-change.ts";

const required = 25;

export const easyToFind: Claim = {
  id: "easy-to-find",
  statement: "A newcomer finds where to change something from the README, the documents and the names of folders.",
  bound: `${required} questions in docs/internals/where-to-change.md, each with a file and a symbol that exist`,
  async prove() {
    const answers = readAnswers(root);
    const wrong = findWrongAnswers(root, answers);
    for (const one of wrong) console.log(one);
    const control = findWrongAnswers(root, [{ question: "Where?", file: "packages/gone.ts", symbol: "gone" }]).length;
    return {
      measured: `${answers.length} questions, ${wrong.length} wrong answers; control: ${control} planted wrong answer found`,
      holds: answers.length >= required && wrong.length === 0 && control === 1,
    };
  },
};
