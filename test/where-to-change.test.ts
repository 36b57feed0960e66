import { expect, test } from "vitest";
import { root } from "../scripts/run.ts";
import { findWrongAnswers, readAnswers } from "../scripts/where-to-change.ts";

const answers = readAnswers(root);

test("docs/internals/where-to-change.md answers 40 questions", () => expect(answers).toHaveLength(40));

test("every file and symbol in it exists", () => expect(findWrongAnswers(root, answers)).toEqual([]));

test("a file or a symbol that is gone is found", () => {
  const question = "Where?";
  expect(findWrongAnswers(root, [{ question, file: "packages/gone.ts", symbol: "gone" }])).toHaveLength(1);
  expect(findWrongAnswers(root, [{ question, file: "scripts/run.ts", symbol: "gone" }])).toHaveLength(1);
});
