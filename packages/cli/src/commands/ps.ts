import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { sessionTable } from "../render/session-table.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addPs(program: Command, run: Run): void {
  program
    .command("ps")
    .summary("list the sessions that have a process")
    .description("Lists the sessions whose agents are running now. `ls` lists those that are paused or over as well.")
    .option("-q, --quiet", "ids alone")
    .option("--json", "one JSON value a session")
    .addHelpText("after", "\nExample:\n  fairlead stop $(fairlead ps -q)")
    .action((options: PsOptions) => run((surroundings) => ps(surroundings, options)));
}

interface PsOptions {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

async function ps(surroundings: Surroundings, { quiet, json }: PsOptions): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const running = (await fairlead.sessions()).filter(({ state }) => !["paused", "ended", "lost"].includes(state));
  const { width, paint } = screen;
  if (json) for (const one of running) screen.json(one);
  else if (quiet) for (const { session } of running) screen.line(session);
  else if (running.length === 0) screen.line("Nothing runs. `fairlead ls` lists what there was.");
  else for (const line of sessionTable(running, { now: Date.now(), width, paint })) screen.line(line);
  return exitCodes.done;
}
