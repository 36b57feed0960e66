import { existsSync } from "node:fs";
import type { SessionView } from "@fairlead/api";
import type { Command } from "commander";
import { daemonAt } from "../daemon/daemon-at.ts";
import { daemonPlace } from "../daemon/daemon-place.ts";
import { endDaemon, killDaemon } from "../daemon/end-daemon.ts";
import { responds } from "../daemon/responds.ts";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export interface DownOptions {
  readonly stopSessions?: boolean;
  readonly json?: boolean;
}

export function addDown(program: Command, run: Run): void {
  program
    .command("down")
    .summary("end the daemon, and no session")
    .description(
      "Ends the daemon. Agents go on with what they do; what they ask waits until the daemon is there again, which finds them.",
    )
    .option("--stop-sessions", "end every session first, and all that they started")
    .option("--json", "one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead down\n  fairlead down --stop-sessions")
    .action((options: DownOptions) => run((surroundings) => down(surroundings, options)));
}

async function down(surroundings: Surroundings, { stopSessions, json }: DownOptions): Promise<number> {
  const { screen, home } = surroundings;
  const place = daemonPlace(home);
  const wasUp = (await daemonAt(place)) !== null;
  const wasStuck = wasUp && !(await responds(place.socket));
  if (wasStuck) await killDaemon(place);
  // To stop sessions a daemon is needed, even if there is none; but not where there never was a session.
  const isAsked = (wasUp && !wasStuck) || (stopSessions && existsSync(place.journal));
  const before = isAsked ? await leftRunning(surroundings, stopSessions === true) : [];
  if ((await daemonAt(place)) !== null) await endDaemon(place);
  const running = before.map(({ session }) => session);
  if (json) screen.json({ wasUp, wasStuck, running });
  else {
    if (wasStuck) screen.line("The daemon did not answer, and was killed. No session ends by that.");
    screen.line(wasUp ? "Fairlead is down." : "Fairlead was not up.");
    if (running.length > 0) screen.line(goOn(running.length));
  }
  return exitCodes.done;
}

/** The sessions that go on without us, after those that were not to have been stopped. */
async function leftRunning(surroundings: Surroundings, stop: boolean): Promise<readonly SessionView[]> {
  await using fairlead = await openFairlead(surroundings);
  const unfinished = (await fairlead.sessions()).filter(({ state }) => state !== "ended");
  if (stop) await Promise.all(unfinished.map(({ session }) => fairlead.stop(session)));
  return stop ? [] : unfinished.filter(({ state }) => state !== "paused" && state !== "lost");
}

function goOn(count: number): string {
  const who =
    count === 1 ? "One agent goes on in its keeper, and is" : `${count} agents go on in their keepers, and are`;
  return `${who} found again by any command.\n\`fairlead down --stop-sessions\` ends all.`;
}
