import {
  type DecisionView,
  type Fairlead,
  formatAge,
  formatSessionState,
  openSessionStates,
  type SessionView,
  toOneLine,
} from "@fairlead/api";
import type { Command } from "commander";
import { findDaemon, findUnreachableDaemon } from "@fairlead/daemon";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { journalText } from "../../render/doctor-lines.ts";
import { callSummary } from "../../render/decision-lines.ts";
import { table, truncateLine } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { shortDigest } from "../review/find-waiting-decision.ts";
import type { CommandRunner } from "../command-runner.ts";
import { collectSessions } from "../session/collect-sessions.ts";
import { rebuildingMessage } from "../session/ls.ts";

export function addStatus(program: Command, run: CommandRunner): void {
  program
    .command("status")
    .summary("Show the daemon and the sessions that need attention.")
    .description(
      "Show whether the daemon is running, which sessions wait for an answer, which are silent, lost or damaged, whose last turn failed, which keep queued messages while paused, and which crashed or failed in the last day and are not continued.",
    )
    .option("--json", "print one JSON value")
    .addHelpText(
      "after",
      "\nExample:\n  fairlead status\n\nExit codes:\n  0  The daemon is running.\n  1  The daemon is not running.",
    )
    .action(({ json = false }: { json?: boolean }) => run((context) => status(context, json)));
}

/** Prints the status. Starts no daemon if none runs, but replaces one that is older than this command. */
async function status(context: CliContext, json: boolean): Promise<number> {
  const { screen, home } = context;
  const remoteUrl = findRemoteUrl(context);
  const daemonInfo = remoteUrl === null ? await findDaemon(home) : { listen: null, url: remoteUrl };
  if (daemonInfo === null) {
    const unreachable = await findUnreachableDaemon(home);
    if (json) screen.json({ daemon: null, ...(unreachable && { unreachable: { pid: unreachable.pid } }) });
    else if (unreachable === null) screen.message("The daemon is not running. Commands that need it start it.");
    else if (unreachable.stopping) screen.message(`The daemon (process ${unreachable.pid}) is shutting down.`);
    else {
      const problem = `The daemon (process ${unreachable.pid}) is running, but its socket ${home.daemonSocket} was removed.`;
      screen.message(`${problem} It creates the socket again. If it does not, stop it with: fairlead down`);
    }
    return cliExitCodes.failed;
  }
  await using fairlead = await openFairlead(context);
  const now = Date.now();
  const [health, { sessions, pending }, ended, decisions] = await Promise.all([
    fairlead.health(),
    collectSessions(fairlead, { state: openSessionStates }),
    collectSessions(fairlead, { state: ["ended"], since: new Date(now - day).toISOString() }),
    fairlead.decisions(),
  ]);
  if (pending > 0) screen.warn(rebuildingMessage(pending));
  const continued = new Set([...sessions, ...ended.sessions].map(({ continues }) => continues));
  // One that another session continues has been attended to.
  const unwanted = ended.sessions.filter(({ session, reason }) => isUnwantedEnd(reason) && !continued.has(session));
  const forced = await Promise.all(unwanted.map((view) => isForcedEnd(fairlead, view)));
  const needingAttention = [...sessions.filter(needsAttention), ...unwanted.filter((_, index) => !forced[index])];
  if (json) {
    const { listen, url } = daemonInfo;
    screen.json({ daemon: { ...health, listen, url }, sessions: needingAttention, decisions });
    return cliExitCodes.success;
  }
  const { pid, version, startedAt, sessions: counts, journal } = health;
  const urlSuffix = daemonInfo.url === null ? "" : ` · ${daemonInfo.url}`;
  screen.line(
    `Fairlead ${version} · running for ${formatAge(now - Date.parse(startedAt))} · process ${pid}${urlSuffix}`,
  );
  if (health.problem !== null) screen.message(screen.paint("red", health.problem));
  if (journal.verdict === "unfinished" || journal.verdict === "damaged") {
    screen.message(`Journal: ${journalText(journal, screen.paint)}`);
  }
  const stateCounts = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
  screen.line(stateCounts.length === 0 ? "No open sessions." : stateCounts.join(", "));
  const rows = [...needingAttention.flatMap((one) => attentionRows(one, decisions, now)), ...runRows(decisions, now)];
  if (rows.length > 0) screen.line();
  for (const line of table(rows)) screen.line(truncateLine(line, screen.width));
  const [first] = decisions;
  if (first !== undefined) {
    const name = sessions.find(({ session }) => session === first.session)?.name ?? first.session;
    screen.line();
    screen.printHint(`Read a request with: fairlead approve ${name} ${shortDigest(first)} --show`);
  }
  return cliExitCodes.success;
}

/** Sessions that ended without a person's wish are shown for a day, as in `ls`. */
const day = 24 * 60 * 60 * 1000;

function isUnwantedEnd(reason: SessionView["reason"]): boolean {
  return reason === "crashed" || reason === "failed" || reason === "lost";
}

/** The number of events at the end of a session that are read. Of a session that ended by force, few follow its error. */
const lastEvents = 100;

/** Whether a person stopped the session, and its keeper did not do it in time. The view has only the reason `lost`. */
async function isForcedEnd(fairlead: Fairlead, { session, reason, last }: SessionView): Promise<boolean> {
  if (reason !== "lost") return false;
  let isForced = false;
  try {
    for await (const one of fairlead.events(session, { after: Math.max(0, last - lastEvents) })) {
      if ("body" in one && one.body.type === "error.raised") isForced = one.body.category === "timed-out";
    }
  } catch {
    return false; // its journal is damaged
  }
  return isForced;
}

function needsAttention({ state, problem, lead, lastOutcome, queued }: SessionView): boolean {
  if (lead === "human") return true;
  // An interrupted turn needs no attention: a person interrupted it.
  if ((state === "idle" || state === "paused") && (lastOutcome === "failed" || lastOutcome === "limited")) return true;
  if (state === "paused" && queued > 0) return true;
  return problem != null || ["waiting", "silent", "stuck", "input-closed", "lost", "damaged"].includes(state);
}

/** Renders a session that needs attention: name, agent, state with its age, and the reason. */
function attentionRows(view: SessionView, decisions: readonly DecisionView[], now: number): string[][] {
  const { session, name, agent, state, since, problem, reason } = view;
  const identity = [name ?? session, toOneLine(agent)];
  const requests = decisions.filter((one) => one.session === session);
  if (state === "waiting" && requests.length > 0 && problem == null) {
    return requests.map((request) => [
      ...identity,
      `waiting for ${formatAge(now - Date.parse(request.since))}`,
      `${shortDigest(request)}  ${callSummary(request)}`,
    ]);
  }
  if (view.lead === "human" && problem == null)
    return [[...identity, "taken over", `a person leads in the agent's own terminal: fairlead attach ${session}`]];
  if (state === "ended") {
    // The agent's own memory may have been lost with its host or its process. The journal has the history.
    const rebuild = reason === "lost" ? "--rebuild " : "";
    const advice = `see: fairlead logs ${session}; continue with: fairlead resume ${session} ${rebuild}"…"`;
    return [[...identity, `${formatSessionState(view)} ${formatAge(now - Date.parse(since))} ago`, advice]];
  }
  // A daemon of an older version reports no problems.
  const lastTurn = { failed: "failed", limited: "was stopped by a limit" }[view.lastOutcome as string];
  const kept = state === "paused" && view.queued > 0 ? `${view.queued} queued: fairlead resume ${session}` : "";
  const outcomeAdvice = [lastTurn === undefined ? "" : `the last turn ${lastTurn}: fairlead logs ${session}`, kept]
    .filter((part) => part !== "")
    .join("; ");
  const noProcess = state === "lost" ? `no process drives it; continue with: fairlead resume ${session}` : undefined;
  const advice = problem == null ? (noProcess ?? stateAdvice[state] ?? outcomeAdvice) : toOneLine(problem);
  return [[...identity, `${state} for ${formatAge(now - Date.parse(since))}`, advice]];
}

/** Renders the runs that wait for a person. */
function runRows(decisions: readonly DecisionView[], now: number): string[][] {
  return decisions
    .filter(({ agent }) => agent === "foreman")
    .map((one) => {
      const age = `waiting for ${formatAge(now - Date.parse(one.since))}`;
      return [one.session, "foreman", age, `${shortDigest(one)}  ${toOneLine(one.title)}`];
    });
}

const stateAdvice: Partial<Record<SessionView["state"], string>> = {
  silent: "the agent has produced no output",
  stuck: "the agent has made no progress",
  "input-closed": "the agent no longer accepts messages",
};
