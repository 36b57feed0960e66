import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionTable } from "../../render/session-table.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface LsOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

const day = 24 * 60 * 60 * 1000;

export function addLs(program: Command, run: CommandRunner): void {
  program
    .command("ls")
    .summary("List sessions.")
    .description(
      "List sessions, latest activity first. ACTIVE is the time since the last activity. Sessions that ended more than a day ago are left out.",
    )
    .option("-a, --all", "list all sessions")
    .option("--json", "print one JSON value per session")
    .addHelpText("after", "\nExample:\n  fairlead ls --all")
    .action((options: LsOptions) => run((context) => ls(context, options)));
}

async function ls(context: CliContext, { all = false, json = false }: LsOptions): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const now = Date.now();
  const sessions = await fairlead.sessions();
  const shownSessions = sessions.filter(
    ({ state, lastAt }) => all || state !== "ended" || now - Date.parse(lastAt) <= day,
  );
  const hiddenCount = sessions.length - shownSessions.length;
  if (json) for (const session of shownSessions) screen.json(session);
  else {
    const { width, paint } = screen;
    if (shownSessions.length > 0)
      for (const line of sessionTable(shownSessions, { now, width, paint })) screen.line(line);
    else screen.message('No sessions. Start one with: fairlead run AGENT "…"');
    if (hiddenCount > 0) screen.printHint(`${hiddenCount} ended more than a day ago. Show all with: fairlead ls --all`);
  }
  return cliExitCodes.success;
}
