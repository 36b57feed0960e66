import { setTimeout as delay } from "node:timers/promises";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { FairleadError } from "@fairlead/contract";
import { readDaemonInfo, type DaemonInfo } from "./daemon-info.ts";
import type { Home } from "@fairlead/runtime/home";
import { isDaemonAlive } from "./find-daemon.ts";
import { isResponsive } from "./is-responsive.ts";
import { waitUntilUnlocked } from "./daemon-lock.ts";

/** How long the daemon may take to exit. Longer than it allows itself for closing its sessions. */
const shutdownTimeout = 15_000;
/** How long the kernel may take to end a killed process. */
const killTimeout = 15_000;

/**
 * Requests a shutdown and waits until the daemon's process has ended. Kills a daemon that does not respond or does not
 * exit in time. Its sessions keep running.
 */
export async function stopDaemon(home: Home): Promise<void> {
  // Noted before the request: the daemon removes the file.
  const info = readDaemonInfo(home.daemonInfoFile);
  if (await isResponsive(home.daemonSocket)) {
    const fairlead = new RemoteFairlead(nodeTransport({ socket: home.daemonSocket }), { retryTimeoutMs: 0 });
    await fairlead.shutdown().catch(() => {}); // the connection may break, because the daemon exits
    if (await waitUntilExited(home, info, shutdownTimeout)) return;
  }
  await killDaemon(home, info);
}

/** Ends a daemon that cannot be asked, because its socket is gone or closed: with SIGTERM, and then with SIGKILL. */
export async function terminateDaemon(home: Home, info: DaemonInfo, timeout: number = shutdownTimeout): Promise<void> {
  // A daemon that shuts down already would be killed by a second signal.
  if (info.stopping !== true) sendSignal(info.pid, "SIGTERM");
  if (!(await waitUntilExited(home, info, timeout))) await killDaemon(home, info);
}

/** Kills the daemon. Nothing is lost: the next daemon recovers its sessions, as after a crash. */
export async function killDaemon(
  home: Home,
  info: DaemonInfo | null = readDaemonInfo(home.daemonInfoFile),
): Promise<void> {
  // Without the owner, the file is that of an earlier version. Only the holder of the lock writes it, so the process in it
  // is the daemon while the lock is taken.
  const isDaemon =
    info !== null && (info.owner === undefined ? !(await waitUntilUnlocked(home, 1)) : await isDaemonAlive(info));
  if (isDaemon) sendSignal(info.pid, "SIGKILL");
  if (await waitUntilExited(home, info, killTimeout)) return;
  const name = info === null ? "The daemon" : `The daemon (process ${info.pid})`;
  throw new FairleadError("unavailable", `${name} does not exit after it was killed. Its disk may not respond.`);
}

/** Waits until the process of a daemon has ended. Returns false after the timeout. */
export async function waitUntilExited(home: Home, info: DaemonInfo | null, timeout: number): Promise<boolean> {
  const deadline = performance.now() + timeout;
  if (!(await waitUntilUnlocked(home, timeout))) return false;
  // Elsewhere, a process that its parent has not reaped cannot be told from a running one, and the lock must suffice.
  if (info === null || process.platform !== "linux") return true;
  while (await isDaemonAlive(info)) {
    if (performance.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
