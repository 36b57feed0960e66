import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { table } from "../../render/text-layout.ts";
import { toOneLine } from "../../render/tool-lines.ts";
import type { CliContext } from "../../cli-context.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export function addFiles(program: Command, run: CommandRunner): void {
  program
    .command("files")
    .summary("List the files that an agent changed.")
    .description("List the files that the agent reported as changed. `diff` shows what git sees.")
    .argument(...sessionArgument)
    .option("--json", "print one JSON value per file")
    .addHelpText("after", "\nExample:\n  fairlead files 54tq")
    .action((sessionRef: string, { json = false }: { json?: boolean }) =>
      run((context) => files(context, sessionRef, json)),
    );
}

async function files(context: CliContext, sessionRef: string, json: boolean): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const changedFiles = await fairlead.files(sessionRef);
  if (json) for (const file of changedFiles) screen.json(file);
  else {
    for (const line of table(changedFiles.map(({ change, path }) => [change, toOneLine(path)]))) screen.line(line);
    if (changedFiles.length === 0) screen.line("The agent has reported no changed files.");
  }
  return cliExitCodes.success;
}
