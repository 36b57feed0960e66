import { once } from "node:events";
import { linkSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** A keeper that is starting may be slow to send its hello. A connection without a hello counts as a living keeper. */
const helloTimeoutMs = 1000;
const pollIntervalMs = 5;
const lockTimeoutMs = 20_000;

/** Another keeper answers at the socket. */
export class KeeperAlreadyRunning extends Error {}

/**
 * Listens at a socket path. Replaces a socket that a killed keeper has left behind. Throws `KeeperAlreadyRunning` if a
 * living keeper has the socket. Of several processes that try at once exactly one succeeds: each first listens at a
 * path of its own, so that a socket at the shared path always answers, and then moves it there atomically. `prepare`
 * runs when the path is free, before clients can connect.
 */
export async function claimSocket(path: string, prepare: () => Promise<void> = async () => {}): Promise<Server> {
  const ownPath = `${path}.${process.pid}`;
  const server = await bind(ownPath);
  try {
    while (!(await tryClaim(ownPath, path, prepare))) await delay(pollIntervalMs);
    return server;
  } catch (error) {
    server.close();
    throw error;
  }
}

/** Returns false if the caller must try again, because another process was faster or is about to exit. */
async function tryClaim(ownPath: string, path: string, prepare: () => Promise<void>): Promise<boolean> {
  switch (await probeSocket(path)) {
    case "alive":
      throw new KeeperAlreadyRunning(path);
    case "ending":
      return false;
    case "absent":
      await prepare();
      return linkInPlace(ownPath, path);
    case "stale":
      // Another process may replace a stale socket between the check and the rename. So both happen under a lock.
      return withLock(`${path}.lock`, async () => {
        if ((await probeSocket(path)) !== "stale") return false;
        await prepare();
        renameSync(ownPath, path);
        return true;
      });
  }
}

function linkInPlace(ownPath: string, path: string): boolean {
  try {
    linkSync(ownPath, path); // unlike a rename, a link never replaces an existing file
    unlinkSync(ownPath);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function bind(path: string): Promise<Server> {
  rmSync(path, { force: true }); // left by a killed process that had the same pid
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  return server;
}

/** The socket of a killed process still accepts connections for a moment, but only a living keeper sends a hello. */
async function probeSocket(path: string): Promise<"alive" | "ending" | "absent" | "stale"> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    const closed = once(socket, "close").then(() => "ending" as const);
    const greeted = once(socket, "data").then(() => "alive" as const);
    const silent = delay(helloTimeoutMs, "alive" as const, { ref: false });
    return await Promise.race([greeted, closed, silent]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "absent";
    if (code === "ECONNREFUSED") return "stale";
    if (code === "ECONNRESET" || code === "EPIPE") return "ending";
    throw error; // the state of the socket is unknown, so it must not be replaced
  } finally {
    socket.on("error", () => {});
    socket.destroy();
  }
}

/**
 * Runs an action while this process holds an exclusive lock on a file. The kernel releases the lock when the process
 * ends for any reason. The file stays. Node offers file locks only through SQLite, which is loaded here on first use
 * because few keepers ever need it.
 *
 * The server package has its own file lock: it fails at once with an API error and stays open beyond one call. The
 * keeper may import only the contract package, which must not touch files, so the two cannot share an implementation.
 */
async function withLock<T>(file: string, action: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(file, { timeout: lockTimeoutMs });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return await action();
  } finally {
    lock.close();
  }
}
