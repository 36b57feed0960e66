import { existsSync } from "node:fs";
import type { SessionView } from "@fairlead/api";
import type { Command } from "commander";
import { findDaemon, isResponsive, killDaemon, stopDaemon } from "@fairlead/daemon";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface DownOptions {
  readonly stopSessions?: boolean;
  readonly json?: boolean;
}

export function addDown(program: Command, run: CommandRunner): void {
  program
    .command("down")
    .summary("Stop the daemon. Sessions keep running.")
    .description(
      "Stop the daemon. Agents keep running, and their questions wait for the next daemon, which recovers them.",
    )
    .option("--stop-sessions", "first stop every session and all processes they started")
    .option("--json", "print one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead down\n  fairlead down --stop-sessions")
    .action((options: DownOptions) => run((context) => down(context, options)));
}

async function down(context: CliContext, { stopSessions, json }: DownOptions): Promise<number> {
  const { screen, home } = context;
  const wasUp = (await findDaemon(home)) !== null;
  const wasStuck = wasUp && !(await isResponsive(home.daemonSocket));
  if (wasStuck) await killDaemon(home);
  // Stopping sessions needs a daemon, so one is started if necessary. Without a journal there are no sessions.
  const needsDaemon = (wasUp && !wasStuck) || (stopSessions && existsSync(home.journalFile));
  const isStopping = stopSessions === true;
  const sessions = needsDaemon ? await findUnfinishedSessions(context, isStopping) : [];
  if ((await findDaemon(home)) !== null) await stopDaemon(home);
  const running = isStopping ? [] : sessions.filter(isRunning).map(({ session }) => session);
  if (json) screen.json({ wasUp, wasStuck, running });
  else {
    if (wasStuck) screen.message("The daemon did not respond and was killed. Sessions keep running.");
    if (isStopping)
      screen.line(sessions.length === 1 ? "One session was stopped." : `${sessions.length} sessions were stopped.`);
    screen.line(wasUp ? "The daemon is stopped." : "The daemon was not running.");
    if (running.length > 0) screen.message(runningSessionsMessage(running.length));
  }
  return cliExitCodes.success;
}

/** Finds the sessions that have not ended, and stops them if `stop` is set. */
async function findUnfinishedSessions(context: CliContext, stop: boolean): Promise<readonly SessionView[]> {
  await using fairlead = await openFairlead(context);
  const unfinished = (await fairlead.sessions()).filter(({ state }) => state !== "ended");
  if (stop) await Promise.all(unfinished.map(({ session }) => fairlead.stop(session)));
  return unfinished;
}

/** Whether a session keeps running without a daemon. */
function isRunning({ state }: SessionView): boolean {
  return state !== "paused" && state !== "lost";
}

function runningSessionsMessage(count: number): string {
  const subject = count === 1 ? "One session keeps" : `${count} sessions keep`;
  return `${subject} running. The next command starts the daemon, which reconnects to ${count === 1 ? "it" : "them"}.\nStop all with: fairlead down --stop-sessions`;
}
