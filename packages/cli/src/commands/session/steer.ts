import type { Command } from "commander";
import { readPrompt } from "../../interactive/message-source.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";
import { nameEndedSession } from "../name-ended-session.ts";

export function addSteer(program: Command, run: CommandRunner): void {
  program
    .command("steer")
    .summary("Send a message into the running turn.")
    .description("Send a message into the running turn, if the agent supports it.")
    .argument(...sessionArgument)
    .argument("[message...]", "message to the agent (default: read from a pipe)")
    .option("--json", "print one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead steer 54tq "use the other branch"')
    .action((sessionRef: string, words: string[], { json = false }: { json?: boolean }) =>
      run((context) => steer(context, sessionRef, words, json)),
    );
}

async function steer(
  context: CliContext,
  sessionRef: string,
  words: readonly string[],
  json: boolean,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const message = await readPrompt(words, context);
  if (message === null) throw new UsageError("The message is missing.", `fairlead steer ${sessionRef} "…"`);
  const { session } = await fairlead.session(sessionRef);
  await nameEndedSession(fairlead, session, fairlead.steer(session, message));
  if (json) screen.json({ session });
  else screen.line(`Sent to ${session}.`);
  return cliExitCodes.success;
}
