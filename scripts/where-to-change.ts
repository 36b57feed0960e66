/** Reads docs/internals/where-to-change.md and finds answers that are no longer true. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Answer {
  readonly question: string;
  readonly file: string;
  readonly symbol: string;
}

export function readAnswers(root: string): Answer[] {
  const page = readFileSync(join(root, "docs/internals/where-to-change.md"), "utf8");
  return [...page.matchAll(/^\| (.+\?) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
    ([, question = "", file = "", symbol = ""]) => ({ question, file, symbol }),
  );
}

/** A sentence for each answer whose file does not exist or does not export its symbol. */
export function findWrongAnswers(root: string, answers: readonly Answer[]): string[] {
  return answers.flatMap(({ question, file, symbol }) => {
    const path = join(root, file);
    if (!existsSync(path)) return [`${question} ${file} does not exist.`];
    const declaration = new RegExp(`^export (?:async )?(?:const|function\\*?|class|interface|type) ${symbol}\\b`, "m");
    return declaration.test(readFileSync(path, "utf8")) ? [] : [`${question} ${file} does not export ${symbol}.`];
  });
}
