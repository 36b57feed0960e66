import { toOneLine } from "@fairlead/api";
import type { Question } from "@fairlead/contract";
import type { Command } from "commander";
import { parseQuestionAnswer } from "../../interactive/decision-answerer.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { questionLines } from "../../render/decision-lines.ts";
import { noPaint } from "../../render/paint.ts";
import type { CliContext } from "../../cli-context.ts";
import { answerCommand, findWaitingDecision, shortDigest } from "./find-waiting-decision.ts";
import { UsageError } from "../../usage-error.ts";
import { decisionArgument, sessionArgument, type CommandRunner } from "../command-runner.ts";

interface AnswerOptions {
  readonly decision?: string;
  readonly json?: boolean;
}

export function addAnswer(program: Command, run: CommandRunner): void {
  program
    .command("answer")
    .summary("Answer an agent's questions.")
    .description("Answer an agent's questions, each with the number of an option or with free text.")
    .argument(...sessionArgument)
    .argument("[answer...]", "one answer for each question, in order; without answers, the questions are printed")
    .option("--decision <id>", decisionArgument[1])
    .option("--json", "print one JSON value")
    .addHelpText("after", '\nExamples:\n  fairlead answer 54tq 2\n  fairlead answer 54tq 1,3 "blue instead"')
    .action((sessionRef: string, answers: string[], options: AnswerOptions) =>
      run((context) => answer(context, sessionRef, answers, options)),
    );
}

async function answer(
  context: CliContext,
  sessionRef: string,
  typedAnswers: readonly string[],
  { decision: decisionRef, json }: AnswerOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const view = await findWaitingDecision(fairlead, {
    sessionRef,
    decisionRef,
    command: "answer",
    onlyShow: typedAnswers.length === 0,
  });
  const { session, decision, kind, questions = [], digest } = view;
  if (kind !== "question") {
    throw new UsageError("The agent asks for approval, not a question.", answerCommand("answer", view));
  }
  const answers = parseAnswers(
    questions,
    typedAnswers,
    // A decision that was named, or that must be named, is named again.
    decisionRef === undefined && !view.replaces ? session : `${session} --decision ${shortDigest(view)}`,
  );
  await fairlead.answer(session, decision, { type: "choose", digest, answers });
  if (json) screen.json({ session, decision, answers });
  else
    for (const [question, answerText] of Object.entries(answers))
      screen.line(`${toOneLine(question)} ${toOneLine(answerText)}`);
  return cliExitCodes.success;
}

function parseAnswers(
  questions: readonly Question[],
  typedAnswers: readonly string[],
  target: string,
): Record<string, string> {
  const entries = questions.map(
    (question, at) => [question.text, parseQuestionAnswer(question, typedAnswers[at] ?? "")] as const,
  );
  if (typedAnswers.length === questions.length && entries.every(([, one]) => one !== null)) {
    return Object.fromEntries(entries) as Record<string, string>;
  }
  const questionText = questions.flatMap((question) => questionLines(question, noPaint)).join("\n");
  throw new UsageError(
    `Each question needs one valid answer:\n${questionText}`,
    `fairlead answer ${target} ${questions.map(() => "…").join(" ")}`,
  );
}
