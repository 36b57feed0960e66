import type { Command } from "commander";
import { promptOf } from "../conversation/prompt-of.ts";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export function addSteer(program: Command, run: Run): void {
  program
    .command("steer")
    .summary("say something into the turn that is going on")
    .description("Says something into the turn that is going on, where the agent can hear that.")
    .argument(...sessionArgument)
    .argument("[message...]", "what to say; without it, what comes in on a pipe")
    .option("--json", "one JSON value")
    .addHelpText("after", '\nExample:\n  fairlead steer 54tq "use the other branch"')
    .action((named: string, words: string[], { json = false }: { json?: boolean }) =>
      run((surroundings) => steer(surroundings, named, words, json)),
    );
}

async function steer(
  surroundings: Surroundings,
  named: string,
  words: readonly string[],
  json: boolean,
): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const text = await promptOf(words, surroundings);
  if (text === null) throw new WrongUse("There is no message.", `fairlead steer ${named} "…"`);
  const { session } = await fairlead.session(named);
  await fairlead.steer(session, text);
  if (json) screen.json({ session });
  else screen.line(`${session} was told.`);
  return exitCodes.done;
}
