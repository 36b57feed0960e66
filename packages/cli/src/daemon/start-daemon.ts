import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import { daemonAt } from "./daemon-at.ts";
import { daemonCommand } from "./daemon-command.ts";
import type { DaemonPlace } from "./daemon-place.ts";
import { openLog } from "./open-log.ts";

const patience = 20_000;

/** Settings that are meant for one command; a daemon would keep them for all that follow. */
const forOneCommand = ["FAIRLEAD_AGENT", "FAIRLEAD_MODEL", "FAIRLEAD_DAEMON"];

/** Starts a daemon that goes on when we end; resolves when it answers. */
export async function startDaemon(
  place: DaemonPlace,
  environment: NodeJS.ProcessEnv,
  listen: string | null,
): Promise<void> {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  const kept = Object.entries(environment).filter(([name]) => !forOneCommand.includes(name));
  const log = openLog(place.log);
  const [program, ...words] = daemonCommand(listen);
  const child = spawn(program, words, {
    cwd: "/", // so that no folder stays in use because of it
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...Object.fromEntries(kept), FAIRLEAD_HOME: place.home },
  });
  closeSync(log);
  child.unref();
  await answering(place, child);
}

/** It is there when it answers, and not before; one that has exited will never answer. */
async function answering(place: DaemonPlace, child: ChildProcess): Promise<void> {
  let failure: Error | null = null;
  child.once("error", (error) => (failure = error));
  const deadline = Date.now() + patience;
  for (let pause = 5; (await daemonAt(place)) === null; pause = Math.min(pause * 1.5, 50)) {
    const ended = child.exitCode ?? child.signalCode;
    if (failure === null && ended === null && Date.now() < deadline) {
      await delay(pause);
      continue;
    }
    const why = failure === null ? (ended === null ? "it does not answer" : `it ended with ${ended}`) : "see above";
    throw new FairleadError("unavailable", `The daemon could not be started (${why}). ${place.log} tells more.`, {
      cause: failure,
    });
  }
}
