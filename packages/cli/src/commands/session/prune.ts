import { type Fairlead, openSessionStates, type SessionView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { parseDuration } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionTable } from "../../render/session-table.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";
import { collectSessions } from "./collect-sessions.ts";

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
      "Delete the events, records and stored request results of sessions that have ended. Open sessions, and sessions they continue, are never deleted. The agent's own files and the workspace are kept. An isolated copy is deleted with its session, unless it has work that you do not have.",
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
  const prunable = await findPrunableSessions(fairlead, now - olderThan);
  const deleted: SessionView[] = [];
  for (const view of prunable) {
    const problem = dryRun ? null : await forget(fairlead, view);
    if (problem === null) deleted.push(view);
    else screen.warn(problem);
  }
  if (json) for (const session of deleted) screen.json(session);
  else {
    const { width, paint } = screen;
    if (deleted.length > 0) for (const line of sessionTable(deleted, { now, width, paint })) screen.line(line);
    const count = deleted.length === 1 ? "One session" : `${deleted.length} sessions`;
    if (deleted.length === 0) screen.line("No session to delete.");
    else screen.line(`${count} ${dryRun ? "would be" : deleted.length === 1 ? "was" : "were"} deleted.`);
  }
  return cliExitCodes.success;
}

/** Deletes a session. Returns why it is kept if its isolated copy has work. */
async function forget(fairlead: Pick<Fairlead, "forget">, { session, copy }: SessionView): Promise<string | null> {
  try {
    await fairlead.forget(session);
    return null;
  } catch (error) {
    if (copy !== undefined && FairleadError.is(error, "conflict")) return error.message;
    throw error;
  }
}

/**
 * Finds sessions that ended before a time and that no open session continues, directly or not: an open session may still
 * need their history. Reads the sessions that have not ended, those that they continue, and the ones to delete.
 */
export async function findPrunableSessions(
  fairlead: Pick<Fairlead, "session" | "sessions">,
  endedUntil: number,
): Promise<readonly SessionView[]> {
  const open = await collectSessions(fairlead, { state: openSessionStates, order: "session" });
  const until = new Date(endedUntil).toISOString();
  const ended = await collectSessions(fairlead, { state: ["ended"], until, order: "session" });
  // An open session that is missing from the index may continue one of the others.
  if (open.pending + ended.pending > 0) throw new FairleadError("unavailable", rebuildingError);
  const needed = new Set<string>();
  for (const { continues } of open.sessions) await addAncestors(fairlead, continues, needed);
  return ended.sessions.filter(({ session }) => !needed.has(session));
}

const rebuildingError =
  "The daemon rebuilds its index of sessions. Try again when `fairlead ls --all` gives no warning.";

async function addAncestors(
  fairlead: Pick<Fairlead, "session">,
  session: string | null,
  needed: Set<string>,
): Promise<void> {
  for (let ancestor = session; ancestor !== null && !needed.has(ancestor);) {
    needed.add(ancestor);
    ancestor = await findContinued(fairlead, ancestor);
  }
}

async function findContinued(fairlead: Pick<Fairlead, "session">, id: string): Promise<string | null> {
  try {
    const { session, continues } = await fairlead.session(id);
    // `session` also finds names and prefixes.
    return session === id ? continues : null;
  } catch (error) {
    if (FairleadError.is(error, "session-not-found")) return null; // it was deleted
    throw error;
  }
}
