import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { patchLines } from "../render/patch-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export function addDiff(program: Command, run: Run): void {
  program
    .command("diff")
    .summary("show what has changed in a session's workspace")
    .description(
      "Shows what has changed in the workspace since its last commit, whoever changed it. On a pipe it is a patch as git makes it.",
    )
    .argument(...sessionArgument)
    .option("--json", "one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead diff 54tq\n  fairlead diff 54tq | git apply -R")
    .action((named: string, { json = false }: { json?: boolean }) =>
      run((surroundings) => diff(surroundings, named, json)),
    );
}

async function diff(surroundings: Surroundings, named: string, json: boolean): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const found = await fairlead.diff(named);
  if (json) {
    screen.json(found);
    return exitCodes.done;
  }
  if (screen.isTerminal) for (const line of patchLines(found.patch, screen.paint)) screen.line(line);
  else screen.show([{ to: "out", text: found.patch }]);
  if (found.base === null)
    screen.warn("The workspace is no git repository; `fairlead files` says what the agent told.");
  if (found.truncated) screen.warn("The patch was too long and is cut; git in the workspace shows all of it.");
  return exitCodes.done;
}
