import type { DecisionView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { approvalLines, callTitle, questionLines } from "../../render/decision-lines.ts";
import { hiddenLines, maxInputLines } from "../../render/tool-input.ts";
import type { CliContext } from "../../cli-context.ts";
import { answerCommand, findWaitingDecision, findWaitingDecisions } from "./find-waiting-decision.ts";
import { UsageError } from "../../usage-error.ts";
import { decisionArgument, sessionArgument, type CommandRunner } from "../command-runner.ts";

interface ApproveOptions {
  readonly input?: string;
  readonly full?: boolean;
  readonly show?: boolean;
  readonly json?: boolean;
}

export function addApprove(program: Command, run: CommandRunner): void {
  program
    .command("approve")
    .summary("Approve what an agent asks to do.")
    .description("Approve what an agent asks to do, once, and print it.")
    .argument(...sessionArgument)
    .argument(...decisionArgument)
    .option("--input <json>", "approve it with this input instead, if the agent has the capability edited-approvals")
    .option("--full", `print all of the input, also beyond ${maxInputLines} lines`)
    .option("--show", "print all of the input and do not approve; without a decision, of every open request")
    .option("--json", "print one JSON value; with --show, one for each request")
    .addHelpText("after", "\nExamples:\n  fairlead status\n  fairlead approve 54tq --show\n  fairlead approve 54tq")
    .action((sessionRef: string, decision: string | undefined, options: ApproveOptions) =>
      run((context) => approve(context, sessionRef, decision, options)),
    );
}

async function approve(
  context: CliContext,
  sessionRef: string,
  decisionRef: string | undefined,
  { input, full = false, show = false, json }: ApproveOptions,
): Promise<number> {
  const { screen } = context;
  const { paint, columns } = screen;
  const inputOverride = input === undefined ? {} : { input: parseInputOption(input) };
  const edited = input === undefined ? "" : ", with edited input";
  await using fairlead = await openFairlead(context);
  if (show) {
    const request = { sessionRef, decisionRef, command: "approve", onlyShow: true } as const;
    const decisions =
      decisionRef === undefined
        ? (await findWaitingDecisions(fairlead, sessionRef)).waiting
        : [await findWaitingDecision(fairlead, request)];
    for (const one of decisions) showRequest(context, { ...one, ...inputOverride }, { edited, json: json === true });
    return cliExitCodes.success;
  }
  const decisionView = await findWaitingDecision(fairlead, { sessionRef, decisionRef, command: "approve" });
  const { session, decision, digest } = decisionView;
  if (decisionView.kind === "question") {
    throw new UsageError("The agent asks a question, not for approval.", answerCommand("approve", decisionView));
  }
  if (input !== undefined && !(await fairlead.session(session)).capabilities.includes("edited-approvals")) {
    const message = `${decisionView.agent} cannot run a call with an edited input. Nothing was approved.`;
    throw new FairleadError("not-supported", message);
  }
  const request = { ...decisionView, ...inputOverride };
  const hiddenCount = full ? 0 : hiddenLines(request.input);
  // Print before approving: if printing fails or is interrupted, nothing has been approved.
  if (!json) {
    for (const line of approvalLines(request, { paint, columns, full, isCallShown: true })) screen.line(line);
    if (hiddenCount > 0)
      screen.line(paint("yellow", `${hiddenCount} lines are not shown. To see all before approving, use --show.`));
  }
  await fairlead.answer(session, decision, { type: "allow", digest, ...inputOverride });
  if (json) screen.json({ session, decision, outcome: "allowed" });
  else screen.line(`Approved for ${session}${edited}: ${callTitle(request)}`);
  return cliExitCodes.success;
}

/** Prints all of a request, and how to answer it. */
function showRequest(
  { screen }: CliContext,
  request: DecisionView,
  { edited, json }: { readonly edited: string; readonly json: boolean },
): void {
  const { paint, columns } = screen;
  if (json) return screen.json(request);
  const isQuestion = request.kind === "question";
  screen.line(`${request.session} asks ${isQuestion ? "a question" : `for approval${edited}`}:`);
  const lines = isQuestion
    ? (request.questions ?? []).flatMap((question) => questionLines(question, paint, columns))
    : approvalLines(request, { paint, columns, full: true });
  for (const line of lines) screen.line(line);
  screen.printHint(`${isQuestion ? "Answer" : "Approve"} with: ${answerCommand("approve", request)}`);
}

function parseInputOption(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    throw new UsageError(`--input is not valid JSON: ${(error as Error).message}`);
  }
}
