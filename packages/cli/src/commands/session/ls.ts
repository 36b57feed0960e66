import { realpathSync } from "node:fs";
import { type Fairlead, openSessionStates, type SessionQuery, SessionView } from "@fairlead/api";
import { Option, type Command } from "commander";
import { parseInteger } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { printEstimateHint } from "../../render/print-estimate-hint.ts";
import { sessionTable, showsCost } from "../../render/session-table.ts";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import type { CommandRunner } from "../command-runner.ts";
import { toTree } from "../../render/session-tree.ts";
import { collectSessions, type CollectedSessions } from "./collect-sessions.ts";

export interface LsOptions {
  readonly all?: boolean;
  readonly state?: SessionView["state"][];
  readonly agent?: string;
  readonly name?: string;
  readonly workspace?: string;
  readonly limit?: number;
  readonly tree?: boolean;
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
    .option("--tree", "list sessions that agents started below those that started them")
    .option("-q, --quiet", "print only ids")
    .option("--json", "print one JSON value per session")
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead ls --all\n  fairlead ls --tree\n  fairlead ls --state waiting lost --workspace .",
    )
    .action((options: LsOptions) => run((context) => ls(context, options)));
}

async function ls(context: CliContext, options: LsOptions): Promise<number> {
  const { screen } = context;
  const { quiet, json, all, state, limit } = options;
  await using fairlead = await openFairlead(context);
  const now = Date.now();
  const isRemote = findRemoteUrl(context) !== null;
  const typedFolder = options.workspace === undefined ? undefined : resolveFolder(context, options.workspace);
  // Links of another machine cannot be resolved here, so its service compares the path as it was typed.
  const query = { ...toQuery(options), ...(isRemote && typedFolder !== undefined && { workspace: typedFolder }) };
  const folder = isRemote ? undefined : typedFolder;
  const accepts = folder === undefined ? undefined : worksIn(folder);
  const isRecentOnly = all !== true && state === undefined;
  const { sessions: found, pending } = isRecentOnly
    ? await collectRecent(fairlead, query, now - day, limit, accepts)
    : await collectSessions(fairlead, { ...query, ...(state && { state }) }, limit, accepts);
  if (pending > 0) screen.warn(rebuildingMessage(pending));
  const { sessions, indents } = options.tree === true ? toTree(found) : { sessions: found };
  if (json) for (const session of sessions) screen.json(session);
  else if (quiet) for (const { session } of sessions) screen.line(session);
  else {
    const { width, paint } = screen;
    if (sessions.length > 0)
      for (const line of sessionTable(sessions, { now, width, paint, ...(indents && { indents }) })) screen.line(line);
    else screen.message(emptyMessage(options));
    if (showsCost(width)) printEstimateHint(screen, sessions);
    if (isRecentOnly && (await hasEarlier(fairlead, query, now - day, folder)))
      screen.printHint("Sessions that ended more than a day ago are left out. Show all with: fairlead ls --all");
  }
  return cliExitCodes.success;
}

function toQuery({ agent, name }: LsOptions): SessionQuery {
  return { ...(agent !== undefined && { agent }), ...(name !== undefined && { name }) };
}

/**
 * Selects the sessions that work in a folder, whichever link to it they were started with. A query compares only texts.
 * What is read for this, `ls` reads without the option too.
 */
function worksIn(folder: string): (view: SessionView) => boolean {
  const target = resolveLinks(folder);
  const known = new Map<string, boolean>([[folder, true]]);
  return ({ workspace }) => {
    const result = known.get(workspace) ?? resolveLinks(workspace) === target;
    known.set(workspace, result);
    return result;
  };
}

/** Returns the path itself if nothing is there: sessions remain when their folder is gone. */
function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Collects the sessions that have not ended, or ended after a time. */
async function collectRecent(
  fairlead: Fairlead,
  query: SessionQuery,
  since: number,
  limit?: number,
  accepts?: (view: SessionView) => boolean,
): Promise<CollectedSessions> {
  // The open sessions come first: one that ends between the two requests is in both answers, and not in none.
  const open = await collectSessions(fairlead, { ...query, state: openSessionStates }, limit, accepts);
  const endedQuery: SessionQuery = { ...query, state: ["ended"], since: new Date(since).toISOString() };
  const ended = await collectSessions(fairlead, endedQuery, limit, accepts);
  const byId = new Map([...open.sessions, ...ended.sessions].map((view) => [view.session, view]));
  const sessions = [...byId.values()].toSorted((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt));
  return { sessions: sessions.slice(0, limit), pending: Math.max(open.pending, ended.pending) };
}

/** Of a folder, only sessions that were started with this path or without links count: reading all would take long. */
async function hasEarlier(fairlead: Fairlead, query: SessionQuery, until: number, folder?: string): Promise<boolean> {
  const ended: SessionQuery = { ...query, state: ["ended"], until: new Date(until - 1).toISOString(), limit: 1 };
  const queries =
    folder === undefined ? [ended] : [folder, resolveLinks(folder)].map((workspace) => ({ ...ended, workspace }));
  for (const one of queries) if ((await fairlead.sessions(one)).sessions.length > 0) return true;
  return false;
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
