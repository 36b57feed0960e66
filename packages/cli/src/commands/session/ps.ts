import { openSessionStates } from "@fairlead/api";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionTable } from "../../render/session-table.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";
import { collectSessions } from "./collect-sessions.ts";
import { rebuildingMessage } from "./ls.ts";

const runningStates = openSessionStates.filter((state) => state !== "paused" && state !== "lost");

export function addPs(program: Command, run: CommandRunner): void {
  program
    .command("ps")
    .summary("List sessions whose agents are running.")
    .description("List the sessions whose agents are running now. `ls` also lists paused and ended sessions.")
    .option("-q, --quiet", "print only ids")
    .option("--json", "print one JSON value per session")
    .addHelpText("after", "\nExample:\n  fairlead ps -q | xargs -r fairlead stop")
    .action((options: PsOptions) => run((context) => ps(context, options)));
}

interface PsOptions {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

async function ps(context: CliContext, { quiet, json }: PsOptions): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const { sessions: running, pending } = await collectSessions(fairlead, { state: runningStates });
  if (pending > 0) screen.warn(rebuildingMessage(pending));
  const { width, paint } = screen;
  if (json) for (const one of running) screen.json(one);
  else if (quiet) for (const { session } of running) screen.line(session);
  else if (running.length === 0) screen.message("No agent is running. List all sessions with: fairlead ls");
  else for (const line of sessionTable(running, { now: Date.now(), width, paint })) screen.line(line);
  return cliExitCodes.success;
}
