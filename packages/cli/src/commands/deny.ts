import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { oneLine } from "../render/tool-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import { waitingDecision } from "../waiting-decision.ts";
import { decisionArgument } from "./decision-argument.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

interface DenyOptions {
  readonly message?: string;
  readonly interrupt?: boolean;
  readonly json?: boolean;
}

export function addDeny(program: Command, run: Run): void {
  program
    .command("deny")
    .summary("refuse what an agent asks")
    .description("Refuses what an agent asks. It goes on without, unless it is told to stop.")
    .argument(...sessionArgument)
    .argument(...decisionArgument)
    .option("--message <text>", "why not, for the agent to read")
    .option("--interrupt", "stop the turn as well")
    .option("--json", "one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead deny 54tq --message "not on this branch"')
    .action((named: string, decision: string | undefined, options: DenyOptions) =>
      run((surroundings) => deny(surroundings, named, decision, options)),
    );
}

async function deny(
  surroundings: Surroundings,
  named: string,
  wanted: string | undefined,
  { message = "", interrupt = false, json }: DenyOptions,
): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const { session, decision, title } = await waitingDecision(fairlead, named, wanted);
  await fairlead.answer(session, decision, { type: "deny", message, interrupt });
  if (json) screen.json({ session, decision, outcome: "denied" });
  else screen.line(`${session} was refused: ${oneLine(title)}`);
  return exitCodes.done;
}
