import { existsSync } from "node:fs";
import { listSessions, openSessionStates, type SessionView } from "@fairlead/api";
import type { Command } from "commander";
import {
  findDaemon,
  findUnreachableDaemon,
  isResponsive,
  killDaemon,
  readDaemonInfo,
  stopDaemon,
  terminateDaemon,
  type DaemonInfo,
} from "@fairlead/daemon";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { refuseRemote } from "../../remote/refuse-remote.ts";
import type { CommandRunner } from "../command-runner.ts";
import { stopSessions, type StopFailure } from "./stop-sessions.ts";

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
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead down\n  fairlead down --stop-sessions\n\nExit codes:\n  0  The daemon is stopped.\n  1  A session could not be stopped. The daemon is stopped.",
    )
    .action((options: DownOptions) => run((context) => down(context, options)));
}

async function down(context: CliContext, { stopSessions, json }: DownOptions): Promise<number> {
  refuseRemote(context, "down");
  const { screen, home } = context;
  const unreachable = await findUnreachableDaemon(home);
  const found = await findDaemon(home);
  const wasUp = unreachable !== null || found !== null;
  const wasStuck = wasUp && unreachable === null && !(await isResponsive(home.daemonSocket));
  if (unreachable !== null) await terminateDaemon(home, unreachable);
  if (wasStuck) await killDaemon(home);
  // Stopping sessions needs a daemon, so one is started if necessary. Without a journal there are no sessions.
  const isReachable = wasUp && !wasStuck && unreachable === null;
  const needsDaemon = isReachable || (stopSessions && existsSync(home.journalFile));
  const isStopping = stopSessions === true;
  const { sessions, failures, problem } = needsDaemon
    ? await findUnfinishedSessions(context, isStopping)
    : { sessions: [], failures: [], problem: null };
  if ((await findDaemon(home)) !== null) await stopDaemon(home);
  const running = isStopping ? failures.map(({ session }) => session) : sessions.filter(isRunning).map(toId);
  if (json) screen.json({ wasUp, wasStuck, running, ...(isStopping && { failures }) });
  else {
    if (problem !== null) screen.message(screen.paint("red", problem));
    if (wasStuck) screen.message("The daemon did not respond and was killed. Sessions keep running.");
    if (unreachable !== null) screen.message(unreachableMessage(unreachable, home.daemonSocket));
    if (isStopping) {
      const count = sessions.length - failures.length;
      screen.line(count === 1 ? "One session was stopped." : `${count} sessions were stopped.`);
      for (const { session, problem } of failures) screen.message(`Session ${session} was not stopped: ${problem}`);
    }
    screen.line(wasUp ? "The daemon is stopped." : "The daemon was not running.");
    if (running.length > 0 && !isStopping) screen.message(runningSessionsMessage(running.length));
    // A daemon that was killed leaves its info file, and the next one takes its port from there.
    const isPortKept = readDaemonInfo(home.daemonInfoFile) !== null;
    const portMessage = isPortKept ? null : closedPortMessage(found ?? unreachable);
    if (portMessage !== null) screen.printHint(portMessage);
  }
  return failures.length > 0 ? cliExitCodes.failed : cliExitCodes.success;
}

/**
 * Finds the sessions that have not ended, and stops them if `stop` is set. A session that cannot be stopped does not keep
 * the others from being stopped.
 */
async function findUnfinishedSessions(
  context: CliContext,
  stop: boolean,
): Promise<{
  readonly sessions: readonly SessionView[];
  readonly failures: readonly StopFailure[];
  readonly problem: string | null;
}> {
  await using fairlead = await openFairlead(context);
  const sessions = await Array.fromAsync(listSessions(fairlead, { state: openSessionStates, order: "session" }));
  const { problem } = await fairlead.health();
  if (!stop) return { sessions, failures: [], problem };
  const warn = (message: string): void => context.screen.warn(message);
  return { sessions, failures: await stopSessions(fairlead, sessions.map(toId), warn), problem };
}

function unreachableMessage({ pid, stopping }: DaemonInfo, socket: string): string {
  return stopping
    ? `The daemon (process ${pid}) was shutting down. Sessions keep running.`
    : `The daemon (process ${pid}) was running without its socket ${socket}, which was removed. Sessions keep running.`;
}

/** Says how open web pages reach a daemon again: one that a command starts after `down` has no TCP port. */
function closedPortMessage(daemon: DaemonInfo | null): string | null {
  if (daemon === null || daemon.url === null) return null;
  const origins = (daemon.origins ?? []).map((origin) => ` --origin ${origin}`).join("");
  const command = `fairlead up --listen ${new URL(daemon.url).host}${origins}`;
  return `The port of ${daemon.url} is closed. Open web pages connect again after:\n  ${command}`;
}

/** Whether a session keeps running without a daemon. */
function isRunning({ state }: SessionView): boolean {
  return state !== "paused" && state !== "lost";
}

function toId({ session }: SessionView): string {
  return session;
}

function runningSessionsMessage(count: number): string {
  const subject = count === 1 ? "One session keeps" : `${count} sessions keep`;
  return `${subject} running. The next command starts the daemon, which reconnects to ${count === 1 ? "it" : "them"}.\nStop all with: fairlead down --stop-sessions`;
}
