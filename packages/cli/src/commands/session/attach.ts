import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { connectTerminals, terminalSizeOf } from "../../terminal/connect-terminals.ts";
import { takeOverTerminal } from "../../terminal/take-over-terminal.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export function addAttach(program: Command, run: CommandRunner): void {
  program
    .command("attach")
    .summary("Take a session over in the agent's own terminal.")
    .description(
      "Take a session over: open the agent's own terminal on its conversation. This interrupts a running turn. When you detach, the agent leads again and knows what was said.",
    )
    .argument(...sessionArgument)
    .addHelpText(
      "after",
      "\nExample:\n  fairlead attach 54tq\n\nPress Ctrl-\\ to detach and return the lead to the agent.",
    )
    .action((sessionRef: string) => run((context) => attach(context, sessionRef)));
}

async function attach(context: CliContext, sessionRef: string): Promise<number> {
  const { screen, input: stdin, output: stdout, isInteractive } = context;
  if (!isInteractive)
    throw new UsageError("attach needs a terminal as its input and output.", `fairlead logs -f ${sessionRef}`);
  await using fairlead = await openFairlead(context);
  const view = await fairlead.session(sessionRef);
  const { session } = view;
  const closing = new AbortController();
  const terminal = await takeOverTerminal(fairlead, view, terminalSizeOf(stdout), closing.signal);
  const outcome = await connectTerminals(terminal, { stdin, stdout });
  closing.abort();
  if (outcome === "detached") await fairlead.handBack(session);
  screen.message(`The agent leads again. Continue with: fairlead resume ${session} "…"`);
  return cliExitCodes.success;
}
