import { connect } from "node:net";
import type { Home } from "@fairlead/runtime/home";
import { readDaemonInfo, type DaemonInfo } from "./daemon-info.ts";

/** Returns the running daemon of a data directory, or null if none listens. */
export async function findDaemon(home: Home): Promise<DaemonInfo | null> {
  return (await isListening(home.daemonSocket)) ? readDaemonInfo(home.daemonInfoFile) : null;
}

/** Whether a process listens on a socket. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}
