import { Option, type Command } from "commander";
import { durationOf } from "../duration-of.ts";
import { exitCodes } from "../exit-codes.ts";
import { forgettable } from "../forgettable.ts";
import { openFairlead } from "../open-fairlead.ts";
import { sessionTable } from "../render/session-table.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export interface PruneOptions {
  /** Milliseconds. */
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addPrune(program: Command, run: Run): void {
  program
    .command("prune")
    .summary("forget sessions that ended long ago")
    .description(
      "Forgets sessions that have ended: their events, their records, their receipts. What has not ended is never touched, nor what it goes on from. What an agent keeps for itself stays, and so does your workspace.",
    )
    .addOption(
      new Option("--older-than <time>", "only those that ended so long ago, as in 12h or 7d")
        .argParser(durationOf)
        .default(durationOf("30d"), "30d"),
    )
    .option("--dry-run", "show them, and forget none")
    .option("--json", "one JSON value a session")
    .addHelpText("after", "\nExamples:\n  fairlead prune --dry-run\n  fairlead prune --older-than 7d")
    .action((options: PruneOptions) => run((surroundings) => prune(surroundings, options)));
}

async function prune(surroundings: Surroundings, { olderThan, dryRun, json }: PruneOptions): Promise<number> {
  const { screen } = surroundings;
  const now = Date.now();
  await using fairlead = await openFairlead(surroundings);
  const old = forgettable(await fairlead.sessions()).filter(({ lastAt }) => Date.parse(lastAt) <= now - olderThan);
  for (const { session } of dryRun ? [] : old) await fairlead.forget(session);
  if (json) for (const session of old) screen.json(session);
  else {
    const { width, paint } = screen;
    if (old.length > 0) for (const line of sessionTable(old, { now, width, paint })) screen.line(line);
    const count = old.length === 1 ? "One session" : `${old.length} sessions`;
    if (old.length === 0) screen.line("No session ended that long ago.");
    else screen.line(`${count} ${dryRun ? "would be" : old.length === 1 ? "was" : "were"} forgotten.`);
  }
  return exitCodes.done;
}
