import { toOneLine } from "@fairlead/api";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { findWaitingDecision } from "./find-waiting-decision.ts";
import { decisionArgument, sessionArgument, type CommandRunner } from "../command-runner.ts";

interface DenyOptions {
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly json?: boolean;
}

export function addDeny(program: Command, run: CommandRunner): void {
  program
    .command("deny")
    .summary("Deny what an agent asks.")
    .description("Deny what an agent asks. The agent continues its turn, unless you also interrupt it.")
    .argument(...sessionArgument)
    .argument(...decisionArgument)
    .option("--message <text>", "reason, sent to the agent")
    .option("--interrupt", "also interrupt the turn")
    .option("--json", "print one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead deny 54tq --message "not on this branch"')
    .action((sessionRef: string, decision: string | undefined, options: DenyOptions) =>
      run((context) => deny(context, sessionRef, decision, options)),
    );
}

async function deny(
  context: CliContext,
  sessionRef: string,
  decisionRef: string | undefined,
  { message = "", interrupt = false, json }: DenyOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const view = await findWaitingDecision(fairlead, { sessionRef, decisionRef, command: "deny" });
  const { session, decision, title, digest } = view;
  await fairlead.answer(session, decision, { type: "deny", digest, message, interrupt });
  if (json) screen.json({ session, decision, outcome: "denied" });
  else screen.line(`Denied for ${session}: ${toOneLine(title)}`);
  return cliExitCodes.success;
}
