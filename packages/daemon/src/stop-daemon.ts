import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { readDaemonInfo } from "./daemon-info.ts";
import type { Home } from "@fairlead/runtime/home";
import { isResponsive } from "./is-responsive.ts";
import { waitUntilUnlocked } from "./daemon-lock.ts";

/** How long the daemon may take to close its sessions. */
const shutdownTimeout = 30_000;

/**
 * Requests a shutdown and waits until the daemon has released its lock. Kills a daemon that does not respond or does not
 * exit in time. Its sessions keep running.
 */
export async function stopDaemon(home: Home): Promise<void> {
  if (await isResponsive(home.daemonSocket)) {
    await new RemoteFairlead(nodeTransport({ socket: home.daemonSocket }), { retryTimeoutMs: 0 }).shutdown();
    if (await waitUntilUnlocked(home, shutdownTimeout)) return;
  }
  await killDaemon(home);
}

/** Kills the daemon. Nothing is lost: the next daemon recovers its sessions, as after a crash. */
export async function killDaemon(home: Home): Promise<void> {
  // Only the holder of the lock writes this file, so the process in it is the daemon.
  const info = readDaemonInfo(home.daemonInfoFile);
  if (info !== null) process.kill(info.pid, "SIGKILL");
  await waitUntilUnlocked(home, Infinity);
}
