import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { nameEndedSession } from "../name-ended-session.ts";

export function addPause(program: Command, run: CommandRunner): void {
  program
    .command("pause")
    .summary("Interrupt an agent, end its process, keep its session.")
    .description(
      "Interrupt the turn, if one is open, and end the agent's process. Open approvals are canceled. The conversation is kept. Continue it later with `resume`.",
    )
    .argument(...sessionArgument)
    .option("--json", "print the session's checkpoint as one JSON value")
    .addHelpText("after", "\nExample:\n  fairlead pause 54tq")
    .action((sessionRef: string, { json = false }: { json?: boolean }) =>
      run((context) => pause(context, sessionRef, json)),
    );
}

async function pause(context: CliContext, sessionRef: string, json: boolean): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const checkpoint = await nameEndedSession(fairlead, sessionRef, fairlead.pause(sessionRef));
  if (json) screen.json(checkpoint);
  else {
    const { session, state, queued } = await fairlead.session(checkpoint.session);
    const kept = queued === 0 ? "" : ` ${queued === 1 ? "1 queued message is" : `${queued} queued messages are`} kept.`;
    screen.message(
      `${session} is ${state}.${kept} Continue with: fairlead resume ${session}${queued === 0 ? ' "…"' : ""}`,
    );
  }
  return cliExitCodes.success;
}
