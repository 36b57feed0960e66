import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { sessionTable } from "../render/session-table.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export interface LsOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

const day = 24 * 60 * 60 * 1000;

export function addLs(program: Command, run: Run): void {
  program
    .command("ls")
    .summary("list sessions")
    .description("Lists sessions, the newest activity first. Those that ended more than a day ago are left out.")
    .option("-a, --all", "every session there is")
    .option("--json", "one JSON value a session")
    .addHelpText("after", "\nExample:\n  fairlead ls --all")
    .action((options: LsOptions) => run((surroundings) => ls(surroundings, options)));
}

async function ls(surroundings: Surroundings, { all = false, json = false }: LsOptions): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const now = Date.now();
  const sessions = await fairlead.sessions();
  const shown = sessions.filter(({ state, lastAt }) => all || state !== "ended" || now - Date.parse(lastAt) <= day);
  const hidden = sessions.length - shown.length;
  if (json) for (const session of shown) screen.json(session);
  else {
    const { width, paint } = screen;
    if (shown.length > 0) for (const line of sessionTable(shown, { now, width, paint })) screen.line(line);
    else screen.line('No sessions. `fairlead run AGENT "…"` starts one.');
    if (hidden > 0) screen.aside(`${hidden} ended more than a day ago; --all shows them.`);
  }
  return exitCodes.done;
}
