import { resolve } from "node:path";
import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export interface ForkOptions {
  readonly name?: string;
  readonly workspace?: string;
  readonly json?: boolean;
}

export function addFork(program: Command, run: Run): void {
  program
    .command("fork")
    .summary("go another way from here")
    .description("Starts a session that shares the conversation so far and then goes its own way. Prints its id.")
    .argument(...sessionArgument)
    .option("-n, --name <name>", "what to call the new session")
    .option("-w, --workspace <folder>", "where it works (default: where the other does)")
    .option("--json", "the new session as one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead send $(fairlead fork 54tq) "try it the other way"')
    .action((named: string, options: ForkOptions) => run((surroundings) => fork(surroundings, named, options)));
}

async function fork(
  surroundings: Surroundings,
  named: string,
  { name, workspace, json }: ForkOptions,
): Promise<number> {
  const { screen, folder } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const view = await fairlead.fork(named, {
    ...(name !== undefined && { name }),
    ...(workspace !== undefined && { workspace: resolve(folder, workspace) }),
  });
  if (json) screen.json(view);
  else screen.line(view.session);
  return exitCodes.done;
}
