import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { approvalLines } from "../render/decision-lines.ts";
import { hiddenLines } from "../render/input.ts";
import type { Surroundings } from "../surroundings.ts";
import { waitingDecision } from "../waiting-decision.ts";
import { WrongUse } from "../wrong-use.ts";
import { decisionArgument } from "./decision-argument.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

interface ApproveOptions {
  readonly input?: string;
  readonly full?: boolean;
  readonly show?: boolean;
  readonly json?: boolean;
}

export function addApprove(program: Command, run: Run): void {
  program
    .command("approve")
    .summary("allow what an agent asks to do")
    .description("Allows what an agent asks to do, once. What was allowed is printed.")
    .argument(...sessionArgument)
    .argument(...decisionArgument)
    .option("--input <json>", "allow it with this input instead")
    .option("--full", "print all of it, also what is longer than 40 lines")
    .option("--show", "print all of it, and allow nothing")
    .option("--json", "one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead status\n  fairlead approve 54tq --show\n  fairlead approve 54tq")
    .action((named: string, decision: string | undefined, options: ApproveOptions) =>
      run((surroundings) => approve(surroundings, named, decision, options)),
    );
}

async function approve(
  surroundings: Surroundings,
  named: string,
  wanted: string | undefined,
  { input, full = false, show = false, json }: ApproveOptions,
): Promise<number> {
  const { screen } = surroundings;
  const { paint, columns } = screen;
  const edited = input === undefined ? {} : { input: parsed(input) };
  await using fairlead = await openFairlead(surroundings);
  const waiting = await waitingDecision(fairlead, named, wanted);
  const { session, decision } = waiting;
  if (waiting.kind === "question") {
    throw new WrongUse("It asks a question; that takes an answer.", `fairlead answer ${session} "…"`);
  }
  const asked = { ...waiting, ...edited };
  const hidden = full || show ? 0 : hiddenLines(asked.input);
  // Before it is allowed: if showing it fails, or is interrupted, nothing has been.
  if (!json) {
    const may = show ? "asks whether it may do this" : "may do this";
    screen.line(`${session} ${may}${input === undefined ? "" : ", with another input"}:`);
    for (const line of approvalLines(asked, { paint, columns, full: full || show })) screen.line(line);
    if (hidden > 0) screen.line(paint("yellow", `${hidden} lines of this are not shown; --full shows them all.`));
  }
  if (show) {
    if (json) screen.json(asked);
    return exitCodes.done;
  }
  await fairlead.answer(session, decision, { type: "allow", ...edited });
  if (json) screen.json({ session, decision, outcome: "allowed" });
  return exitCodes.done;
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    throw new WrongUse(`--input is not JSON: ${(error as Error).message}`);
  }
}
