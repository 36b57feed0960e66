import { connect } from "node:net";
import { FairleadError } from "@fairlead/contract";
import type { Home } from "@fairlead/runtime/home";
import { readDaemonInfo, type DaemonInfo } from "./daemon-info.ts";

/** Returns the running daemon of a data directory, or null if none listens. */
export async function findDaemon(home: Home): Promise<DaemonInfo | null> {
  return (await isListening(home.daemonSocket)) ? readDaemonInfo(home.daemonInfoFile) : null;
}

/**
 * Returns the daemon whose process runs although it does not listen: it shuts down, or its socket was removed. Returns
 * null if there is no such process.
 */
export async function findUnreachableDaemon(home: Home): Promise<DaemonInfo | null> {
  const info = readDaemonInfo(home.daemonInfoFile);
  return info !== null && (await isDaemonAlive(info)) && !(await isListening(home.daemonSocket)) ? info : null;
}

/** Whether the process of a daemon runs. False for a daemon of an earlier version, whose pid may be another process's. */
export async function isDaemonAlive({ owner }: DaemonInfo): Promise<boolean> {
  if (owner === undefined) return false;
  // Loaded here: a command that finds its daemon listening does not need it.
  const { isOwnerAlive } = await import("@fairlead/engine");
  return isOwnerAlive(owner);
}

/** Whether a process listens on a socket. Throws `not-allowed` if this user may not know. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EACCES") return resolve(false);
      const message = `There is no access to ${socket}: another user owns the data directory.`;
      reject(new FairleadError("not-allowed", `${message} Set FAIRLEAD_HOME to another folder.`, { cause: error }));
    });
  });
}
