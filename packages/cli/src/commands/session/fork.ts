import { FairleadError } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export interface ForkCommandOptions {
  readonly name?: string;
  readonly workspace?: string;
  readonly rebuild?: boolean;
  readonly fresh?: boolean;
  readonly json?: boolean;
}

export function addFork(program: Command, run: CommandRunner): void {
  program
    .command("fork")
    .summary("Start a session that continues a copy of the conversation.")
    .description(
      "Start a session with a copy of the conversation so far. The two sessions are then independent. Prints the id of the new session. If the agent cannot copy its conversation, nothing starts: use --rebuild or --fresh.",
    )
    .argument(...sessionArgument)
    .option("-n, --name <name>", "name of the new session")
    .option("-w, --workspace <folder>", "folder to work in (default: that of the forked session)")
    .addOption(new Option("--rebuild", "give the new session the history from the journal").conflicts("fresh"))
    .option("--fresh", "start the new session without history")
    .option("--json", "print the new session as one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead send $(fairlead fork 54tq) "try another approach"')
    .action((sessionRef: string, options: ForkCommandOptions) => run((context) => fork(context, sessionRef, options)));
}

async function fork(
  context: CliContext,
  sessionRef: string,
  { name, workspace, rebuild, fresh, json }: ForkCommandOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const view = await fairlead
    .fork(sessionRef, {
      outcome: fresh ? "fresh" : rebuild ? "rebuilt" : "native",
      ...(name !== undefined && { name }),
      ...(workspace !== undefined && { workspace: resolveFolder(context, workspace) }),
    })
    .catch((error: unknown) => {
      // Only a name can be in conflict here.
      throw FairleadError.is(error, "conflict") ? new UsageError(error.message, null, { cause: error }) : error;
    });
  if (json) screen.json(view);
  else screen.line(view.session);
  return cliExitCodes.success;
}
