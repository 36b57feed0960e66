import { resolve } from "node:path";
import { type Fairlead, openSessionStates, type SessionQuery, SessionView } from "@fairlead/api";
import { Option, type Command } from "commander";
import { parseInteger } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { sessionTable } from "../../render/session-table.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";
import { collectSessions, type CollectedSessions } from "./collect-sessions.ts";

export interface LsOptions {
  readonly all?: boolean;
  readonly state?: SessionView["state"][];
  readonly agent?: string;
  readonly name?: string;
  readonly workspace?: string;
  readonly limit?: number;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const day = 24 * 60 * 60 * 1000;

export function addLs(program: Command, run: CommandRunner): void {
  program
    .command("ls")
    .summary("List sessions.")
    .description(
      "List sessions, latest activity first. ACTIVE is the time since the last activity. Sessions that ended more than a day ago are left out, unless --all or --state asks for them.",
    )
    .option("-a, --all", "list all sessions")
    .addOption(
      new Option("--state <states...>", "list sessions in any of these states").choices(
        SessionView.shape.state.options,
      ),
    )
    .option("--agent <agent>", "list sessions of this agent")
    .option("--name <name>", "list sessions with this name")
    .option("-w, --workspace <folder>", "list sessions that work in this folder")
    .option("-n, --limit <number>", "list at most this number of sessions", (text: string) => parseInteger(text, 1))
    .option("-q, --quiet", "print only ids")
    .option("--json", "print one JSON value per session")
    .addHelpText("after", "\nExamples:\n  fairlead ls --all\n  fairlead ls --state waiting lost --workspace .")
    .action((options: LsOptions) => run((context) => ls(context, options)));
}

async function ls(context: CliContext, options: LsOptions): Promise<number> {
  const { screen } = context;
  const { quiet, json, all, state, limit } = options;
  await using fairlead = await openFairlead(context);
  const now = Date.now();
  const query = toQuery(context, options);
  const isRecentOnly = all !== true && state === undefined;
  const { sessions, pending } = isRecentOnly
    ? await collectRecent(fairlead, query, now - day, limit)
    : await collectSessions(fairlead, { ...query, ...(state && { state }) }, limit);
  if (pending > 0) screen.warn(rebuildingMessage(pending));
  if (json) for (const session of sessions) screen.json(session);
  else if (quiet) for (const { session } of sessions) screen.line(session);
  else {
    const { width, paint } = screen;
    if (sessions.length > 0) for (const line of sessionTable(sessions, { now, width, paint })) screen.line(line);
    else screen.message(emptyMessage(options));
    if (isRecentOnly && (await hasEarlier(fairlead, query, now - day)))
      screen.printHint("Sessions that ended more than a day ago are left out. Show all with: fairlead ls --all");
  }
  return cliExitCodes.success;
}

function toQuery({ folder }: CliContext, { agent, name, workspace }: LsOptions): SessionQuery {
  return {
    ...(agent !== undefined && { agent }),
    ...(name !== undefined && { name }),
    ...(workspace !== undefined && { workspace: resolve(folder, workspace) }),
  };
}

/** Collects the sessions that have not ended, or ended after a time. */
async function collectRecent(
  fairlead: Fairlead,
  query: SessionQuery,
  since: number,
  limit?: number,
): Promise<CollectedSessions> {
  // The open sessions come first: one that ends between the two requests is in both answers, and not in none.
  const open = await collectSessions(fairlead, { ...query, state: openSessionStates }, limit);
  const endedQuery: SessionQuery = { ...query, state: ["ended"], since: new Date(since).toISOString() };
  const ended = await collectSessions(fairlead, endedQuery, limit);
  const byId = new Map([...open.sessions, ...ended.sessions].map((view) => [view.session, view]));
  const sessions = [...byId.values()].toSorted((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt));
  return { sessions: sessions.slice(0, limit), pending: Math.max(open.pending, ended.pending) };
}

async function hasEarlier(fairlead: Fairlead, query: SessionQuery, until: number): Promise<boolean> {
  const ended: SessionQuery = { ...query, state: ["ended"], until: new Date(until - 1).toISOString(), limit: 1 };
  return (await fairlead.sessions(ended)).sessions.length > 0;
}

function emptyMessage({ state, agent, name, workspace }: LsOptions): string {
  const isFiltered = [state, agent, name, workspace].some((filter) => filter !== undefined);
  return isFiltered ? "No session matches." : 'No sessions. Start one with: fairlead run AGENT "…"';
}

/** Says that a list may be incomplete. */
export function rebuildingMessage(pending: number): string {
  const count = pending === 1 ? "One session" : `${pending} sessions`;
  return `The daemon rebuilds its index of sessions. ${count} may be missing here.`;
}
