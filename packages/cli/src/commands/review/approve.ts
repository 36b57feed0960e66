import { type DecisionView, hiddenLines, maxInputLines } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { approvalLines, callTitle, grantText, questionLines, readingLines } from "../../render/decision-lines.ts";
import { runRequestLines } from "../../render/runs/run-request-lines.ts";
import type { CliContext } from "../../cli-context.ts";
import { answerCommand, findWaitingDecision, findWaitingDecisions } from "./find-waiting-decision.ts";
import { UsageError } from "../../usage-error.ts";
import { decisionArgument, sessionArgument, type CommandRunner } from "../command-runner.ts";

interface ApproveOptions {
  readonly input?: string;
  readonly for?: "once" | "session" | "rule";
  readonly option?: string;
  readonly full?: boolean;
  readonly show?: boolean;
  readonly json?: boolean;
}

export function addApprove(program: Command, run: CommandRunner): void {
  program
    .command("approve")
    .summary("Approve what an agent asks to do.")
    .description(
      "Approve what an agent asks to do, and print it: once, for the rest of the session, or from now on (as a rule in policy.yaml).",
    )
    .argument(...sessionArgument)
    .argument(...decisionArgument)
    .option("--input <json>", "approve it with this input instead, if the agent has the capability edited-approvals")
    .addOption(
      new Option("--for <scope>", "how long it counts; session and rule also allow commands with the same first words")
        .choices(["once", "session", "rule"])
        .default("once"),
    )
    .option("--option <id>", "one of the agent's own options, listed by --show")
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
  { input, for: scope = "once", option, full = false, show = false, json }: ApproveOptions,
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
  const granted = scope === "once" ? null : grantText(decisionView);
  if (scope !== "once" && granted === null) {
    const message = "This call cannot be allowed in general. Nothing was approved.";
    throw new UsageError(message, answerCommand("approve", decisionView));
  }
  const request = { ...decisionView, ...inputOverride };
  const hiddenCount = full || isOfRun(request) ? 0 : hiddenLines(request.input);
  // Print before approving: if printing fails or is interrupted, nothing has been approved.
  if (!json) {
    const lines = isOfRun(request)
      ? runRequestLines(request, { paint, columns })
      : approvalLines(request, { paint, columns, full, isCallShown: true });
    for (const line of lines) screen.line(line);
    for (const line of readingLines(request, paint, columns)) screen.line(line);
    if (hiddenCount > 0)
      screen.line(paint("yellow", `${hiddenCount} lines are not shown. To see all before approving, use --show.`));
  }
  const remembered = scope === "once" ? {} : { remember: scope };
  const chosen = option === undefined ? {} : { option };
  await fairlead.answer(session, decision, { type: "allow", digest, ...inputOverride, ...remembered, ...chosen });
  if (json) screen.json({ session, decision, outcome: "allowed" });
  else {
    screen.line(`Approved for ${session}${edited}: ${callTitle(request)}`);
    const from = scope === "session" ? "for this session" : "from now on";
    if (granted !== null) screen.line(`Also allowed ${from}: ${granted}`);
  }
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
    : [...approvalRows(request, screen), ...readingLines(request, paint, columns)];
  for (const line of lines) screen.line(line);
  const granted = grantText(request);
  if (granted !== null)
    screen.printHint(`Always allow ${granted} with: ${answerCommand("approve", request)} --for rule`);
  if (isOfRun(request)) screen.printHint(`Read the changes with: fairlead diff ${request.session}`);
  screen.printHint(`${isQuestion ? "Answer" : "Approve"} with: ${answerCommand("approve", request)}`);
}

function approvalRows(request: DecisionView, { paint, columns }: CliContext["screen"]): string[] {
  if (!isOfRun(request)) return approvalLines(request, { paint, columns, full: true });
  const { title } = request;
  return [...approvalLines({ title }, { paint, columns }), ...runRequestLines(request, { paint, columns })];
}

/** Whether a run asks, and not an agent. */
function isOfRun({ agent, session }: DecisionView): boolean {
  return agent === "foreman" && session.startsWith("run-");
}

function parseInputOption(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    throw new UsageError(`--input is not valid JSON: ${(error as Error).message}`);
  }
}
