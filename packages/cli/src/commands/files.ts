import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { table } from "../render/table.ts";
import { oneLine } from "../render/tool-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export function addFiles(program: Command, run: Run): void {
  program
    .command("files")
    .summary("list the files that an agent changed")
    .description("Lists the files that the agent has changed, by its own account; `diff` shows what git sees.")
    .argument(...sessionArgument)
    .option("--json", "one JSON value a file")
    .addHelpText("after", "\nExample:\n  fairlead files 54tq")
    .action((named: string, { json = false }: { json?: boolean }) =>
      run((surroundings) => files(surroundings, named, json)),
    );
}

async function files(surroundings: Surroundings, named: string, json: boolean): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const changed = await fairlead.files(named);
  if (json) for (const file of changed) screen.json(file);
  else {
    for (const line of table(changed.map(({ change, path }) => [change, oneLine(path)]))) screen.line(line);
    if (changed.length === 0) screen.line("It has told of no file that it changed.");
  }
  return exitCodes.done;
}
