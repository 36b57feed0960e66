import type { Question } from "@fairlead/contract";
import type { Command } from "commander";
import { chosen } from "../conversation/chosen.ts";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { questionLines } from "../render/decision-lines.ts";
import { unpainted } from "../render/paint.ts";
import { oneLine } from "../render/tool-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import { waitingDecision } from "../waiting-decision.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

interface AnswerOptions {
  readonly decision?: string;
  readonly json?: boolean;
}

export function addAnswer(program: Command, run: Run): void {
  program
    .command("answer")
    .summary("answer what an agent asks")
    .description("Answers an agent's question: with the number of an option, or in your own words.")
    .argument(...sessionArgument)
    .argument("[answer...]", "an answer to each of its questions, in their order; without any, shows them")
    .option("--decision <id>", "which, if it waits for several answers")
    .option("--json", "one JSON value")
    .addHelpText("after", '\nExamples:\n  fairlead answer 54tq 2\n  fairlead answer 54tq 1,3 "rather blue"')
    .action((named: string, answers: string[], options: AnswerOptions) =>
      run((surroundings) => answer(surroundings, named, answers, options)),
    );
}

async function answer(
  surroundings: Surroundings,
  named: string,
  typed: readonly string[],
  { decision: wanted, json }: AnswerOptions,
): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const { session, decision, kind, questions = [] } = await waitingDecision(fairlead, named, wanted);
  if (kind !== "question") {
    throw new WrongUse("It asks to be allowed something, and no question.", `fairlead approve ${session}`);
  }
  const answers = answersTo(questions, typed, session);
  await fairlead.answer(session, decision, { type: "choose", answers });
  if (json) screen.json({ session, decision, answers });
  else for (const [question, given] of Object.entries(answers)) screen.line(`${oneLine(question)} ${oneLine(given)}`);
  return exitCodes.done;
}

function answersTo(questions: readonly Question[], typed: readonly string[], session: string): Record<string, string> {
  const given = questions.map((question, at) => [question.text, chosen(question, typed[at] ?? "")] as const);
  if (typed.length === questions.length && given.every(([, one]) => one !== null)) {
    return Object.fromEntries(given) as Record<string, string>;
  }
  const asked = questions.flatMap((question) => questionLines(question, unpainted)).join("\n");
  throw new WrongUse(`It asks:\n${asked}`, `fairlead answer ${session} ${questions.map(() => "…").join(" ")}`);
}
