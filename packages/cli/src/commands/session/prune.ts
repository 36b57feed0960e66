import type { SessionView } from "@fairlead/api";
import { Option, type Command } from "commander";
import { parseDuration } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionTable } from "../../render/session-table.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface PruneOptions {
  /** Milliseconds. */
  readonly olderThan: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addPrune(program: Command, run: CommandRunner): void {
  program
    .command("prune")
    .summary("Delete sessions that ended long ago.")
    .description(
      "Delete the events, records and stored request results of sessions that have ended. Open sessions, and sessions they continue, are never deleted. The agent's own files and the workspace are kept.",
    )
    .addOption(
      new Option("--older-than <time>", "minimum time since a session ended, such as 12h or 7d")
        .argParser(parseDuration)
        .default(parseDuration("30d"), "30d"),
    )
    .option("--dry-run", "list the sessions and delete none")
    .option("--json", "print one JSON value per session")
    .addHelpText("after", "\nExamples:\n  fairlead prune --dry-run\n  fairlead prune --older-than 7d")
    .action((options: PruneOptions) => run((context) => prune(context, options)));
}

async function prune(context: CliContext, { olderThan, dryRun, json }: PruneOptions): Promise<number> {
  const { screen } = context;
  const now = Date.now();
  await using fairlead = await openFairlead(context);
  const prunable = findPrunableSessions(await fairlead.sessions()).filter(
    ({ lastAt }) => Date.parse(lastAt) <= now - olderThan,
  );
  for (const { session } of dryRun ? [] : prunable) await fairlead.forget(session);
  if (json) for (const session of prunable) screen.json(session);
  else {
    const { width, paint } = screen;
    if (prunable.length > 0) for (const line of sessionTable(prunable, { now, width, paint })) screen.line(line);
    const count = prunable.length === 1 ? "One session" : `${prunable.length} sessions`;
    if (prunable.length === 0) screen.line("No session to delete.");
    else screen.line(`${count} ${dryRun ? "would be" : prunable.length === 1 ? "was" : "were"} deleted.`);
  }
  return cliExitCodes.success;
}

/** Finds ended sessions that no open session continues, directly or not: an open session may still need their history. */
export function findPrunableSessions(sessions: readonly SessionView[]): SessionView[] {
  const continuedSessions = new Map(sessions.map(({ session, continues }) => [session, continues]));
  const needed = new Set<string>();
  for (const { session, state } of sessions) {
    if (state === "ended") continue;
    for (
      let ancestor: string | null = session;
      ancestor !== null && !needed.has(ancestor);
      ancestor = continuedSessions.get(ancestor) ?? null
    ) {
      needed.add(ancestor);
    }
  }
  return sessions.filter(({ session }) => !needed.has(session));
}
