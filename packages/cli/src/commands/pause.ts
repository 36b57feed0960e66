import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export function addPause(program: Command, run: Run): void {
  program
    .command("pause")
    .summary("let an agent's process go, and keep the conversation")
    .description("Lets the agent's process go when its turn is over, and keeps the conversation for `resume`.")
    .argument(...sessionArgument)
    .option("--json", "what it takes to go on, as one JSON value")
    .addHelpText("after", "\nExample:\n  fairlead pause 54tq")
    .action((named: string, { json = false }: { json?: boolean }) =>
      run((surroundings) => pause(surroundings, named, json)),
    );
}

async function pause(surroundings: Surroundings, named: string, json: boolean): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const checkpoint = await fairlead.pause(named);
  if (json) screen.json(checkpoint);
  else screen.line(`${checkpoint.session} is paused. fairlead resume ${checkpoint.session} "…" goes on.`);
  return exitCodes.done;
}
