import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import { joinTerminal, sizeOf } from "../terminal/join-terminal.ts";
import { takeTerminal } from "../terminal/take-terminal.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export function addAttach(program: Command, run: Run): void {
  program
    .command("attach")
    .summary("lead yourself, in the agent's own terminal")
    .description(
      "Opens the agent's own terminal on a session's conversation, for you to lead. A turn that is going on is interrupted. When you leave, the agent goes on from what was said.",
    )
    .argument(...sessionArgument)
    .addHelpText("after", "\nExample:\n  fairlead attach 54tq\n\nCtrl-\\ hands the lead back to the agent.")
    .action((named: string) => run((surroundings) => attach(surroundings, named)));
}

async function attach(surroundings: Surroundings, named: string): Promise<number> {
  const { screen, input: stdin, output: stdout, attended } = surroundings;
  if (!attended) throw new WrongUse("This needs a terminal.", `fairlead logs -f ${named}`);
  await using fairlead = await openFairlead(surroundings);
  const view = await fairlead.session(named);
  const { session } = view;
  const leaving = new AbortController();
  const terminal = await takeTerminal(fairlead, view, sizeOf(stdout), leaving.signal);
  const how = await joinTerminal(terminal, { stdin, stdout });
  leaving.abort();
  if (how === "detached") await fairlead.handBack(session);
  screen.line(`The agent leads again. fairlead resume ${session} "…" goes on.`);
  return exitCodes.done;
}
