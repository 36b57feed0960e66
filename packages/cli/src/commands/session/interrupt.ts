import type { Fairlead } from "@fairlead/api";
import type { Command } from "commander";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { nameEndedSession } from "../name-ended-session.ts";

export function addInterrupt(program: Command, run: CommandRunner): void {
  program
    .command("interrupt")
    .summary("Interrupt a turn.")
    .description(
      "Interrupt the open turn. The session continues: its next queued message starts, or it waits for a message.",
    )
    .argument(...sessionArgument)
    .option("--json", "print the session as one JSON value")
    .addHelpText("after", "\nExample:\n  fairlead interrupt 54tq")
    .action((sessionRef: string, { json = false }: { json?: boolean }) =>
      run((context) => interrupt(context, sessionRef, json)),
    );
}

async function interrupt(context: CliContext, sessionRef: string, json: boolean): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const { session, last } = await fairlead.session(sessionRef);
  await nameEndedSession(fairlead, session, fairlead.interrupt(session));
  const outcome = await readOutcome(fairlead, session, last);
  const view = await fairlead.session(session);
  if (json) screen.json(view);
  else screen.message(`The turn ended: ${outcome}. ${session} is ${view.state}.`);
  return cliExitCodes.success;
}

/** Waits for the end of the turn. The agent may need time to end it. */
async function readOutcome(fairlead: Fairlead, session: string, after: number): Promise<string> {
  for await (const item of fairlead.events(session, { after, follow: true })) {
    if ("body" in item && item.body.type === "turn.ended") return item.body.outcome;
  }
  return "unknown";
}
