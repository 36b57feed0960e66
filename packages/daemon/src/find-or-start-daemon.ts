import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
// The functions one by one: the package's index loads all of them, and every command pays for that at its start.
import gte from "semver/functions/gte.js";
import valid from "semver/functions/valid.js";
import type { DaemonAddress } from "./daemon-address.ts";
import type { DaemonContext } from "./daemon-context.ts";
import { readDaemonInfo, readVersion, type DaemonInfo } from "./daemon-info.ts";
import type { Home } from "@fairlead/runtime/home";
import { findDaemon, findUnreachableDaemon } from "./find-daemon.ts";
import { stopDaemon, terminateDaemon } from "./stop-daemon.ts";
import { isResponsive } from "./is-responsive.ts";
import { startDaemon } from "./start-daemon.ts";
import { tryLockFile } from "./daemon-lock.ts";

/** The API version of this client. */
const apiVersion = "fairlead/1";

export interface FindOrStartOptions extends Partial<DaemonAddress> {
  /**
   * The TCP address for a daemon that would have none. A running daemon without one is replaced: its sessions keep running,
   * and the new daemon drives them.
   */
  readonly listenIfNone?: string;
}

/** How long to wait until a daemon has created its socket again. It checks every few seconds. */
const socketTimeout = 10_000;

/**
 * Connects to the daemon of a data directory. Starts one if none runs, and replaces one that is older than this client.
 * If several processes call this at the same time, one of them starts the daemon and the others wait for it.
 */
export async function findOrStartDaemon(
  context: DaemonContext,
  { listen, origins, listenIfNone }: FindOrStartOptions = {},
): Promise<DaemonInfo> {
  const { home } = context;
  const version = readVersion(context.environment);
  const isNewEnough = (found: DaemonInfo | null): found is DaemonInfo =>
    found !== null && (found.version === version || (valid(found.version) !== null && gte(found.version, version)));
  const isUsable = (found: DaemonInfo | null): found is DaemonInfo =>
    isNewEnough(found) && (listenIfNone === undefined || found.url !== null);
  let found = await findDaemon(home);
  if (found === null) home.create();
  while (!isUsable(found)) {
    using startLock = await tryLockFile(home.daemonStartLock);
    if (startLock === null) await delay(20);
    else if (!isUsable((found = await findDaemon(home)))) {
      // A replacement listens where its predecessor did, also if that one was killed: its clients know that address.
      const info = readDaemonInfo(home.daemonInfoFile);
      const predecessor = info?.stopping ? null : info;
      const address: DaemonAddress = {
        listen: listen ?? predecessor?.listen ?? listenIfNone ?? null,
        origins: origins ?? predecessor?.origins ?? [],
      };
      if (found !== null) await stopDaemon(home);
      else if (await findOrEndUnreachableDaemon(home)) continue;
      await startDaemon(home, context.environment, address);
    }
    found = await findDaemon(home);
  }
  if (!(await isResponsive(home.daemonSocket))) throw unresponsiveError(found);
  if (found.api === apiVersion) return found;
  const message = `The daemon (${found.version}) has API ${found.api}; this command (${version}) needs ${apiVersion}.`;
  throw new FairleadError("unavailable", `${message} Stop the daemon with: fairlead down`);
}

/**
 * Waits for a daemon whose process runs without listening. One that shuts down is killed after a timeout, because it
 * holds the lock. One whose socket was removed creates it again; returns true then.
 */
async function findOrEndUnreachableDaemon(home: Home): Promise<boolean> {
  const unreachable = await findUnreachableDaemon(home);
  if (unreachable === null) return false;
  if (unreachable.stopping === true) {
    await terminateDaemon(home, unreachable);
    return false;
  }
  for (const deadline = performance.now() + socketTimeout; performance.now() < deadline; await delay(50)) {
    if ((await findUnreachableDaemon(home)) === null) return true;
  }
  const message = `The daemon (process ${unreachable.pid}) is running, but its socket ${home.daemonSocket} is gone.`;
  throw new FairleadError("unavailable", `${message} Stop it, and keep its sessions, with: fairlead down`);
}

/** The error for a daemon that accepts connections and does not respond. */
function unresponsiveError({ pid }: DaemonInfo): FairleadError {
  const message = `The daemon (process ${pid}) does not respond: the process is suspended or overloaded.`;
  return new FairleadError("unavailable", `${message} Stop it, and keep its sessions, with: fairlead down`);
}
