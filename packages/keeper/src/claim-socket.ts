import { once } from "node:events";
import { linkSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { withLock } from "./with-lock.ts";

/** A keeper that is busy with its start may take its time to say hello; until then it counts as living. */
const greetingPatience = 1000;
const lookEvery = 5;

/** Somebody else answers at the socket. */
export class AlreadyKept extends Error {}

/**
 * Listens at a socket. One that a killed keeper has left behind is replaced; a living one is left alone. Of any number
 * who try at once exactly one succeeds: each listens under a name of its own first, so that whatever stands at the path
 * already answers, and then moves there in one step. `prepare` is called when the path is ours to take, before anybody
 * can reach us there.
 */
export async function claimSocket(path: string, prepare: () => Promise<void> = async () => {}): Promise<Server> {
  const ownPath = `${path}.${process.pid}`;
  const server = await bind(ownPath);
  try {
    while (!(await move(ownPath, path, prepare))) await delay(lookEvery);
    return server;
  } catch (error) {
    server.close();
    throw error;
  }
}

/** True when we are there; false when it must be looked at again, because somebody was quicker. */
async function move(ownPath: string, path: string, prepare: () => Promise<void>): Promise<boolean> {
  switch (await ask(path)) {
    case "alive":
      throw new AlreadyKept(path);
    case "ending":
      return false;
    case "absent":
      await prepare();
      return linkInPlace(ownPath, path);
    case "stale":
      // Whoever has found it stale may be overtaken before he replaces it; so only one at a time may look and replace.
      return withLock(`${path}.lock`, async () => {
        if ((await ask(path)) !== "stale") return false;
        await prepare();
        renameSync(ownPath, path);
        return true;
      });
  }
}

function linkInPlace(ownPath: string, path: string): boolean {
  try {
    linkSync(ownPath, path); // unlike a rename, it never replaces what is there
    unlinkSync(ownPath);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function bind(path: string): Promise<Server> {
  rmSync(path, { force: true }); // of a process that once had our number and was killed right here
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  return server;
}

/** A process that was killed may still be connected to for a moment; but only a living keeper says hello. */
async function ask(path: string): Promise<"alive" | "ending" | "absent" | "stale"> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    const closed = once(socket, "close").then(() => "ending" as const);
    const greeted = once(socket, "data").then(() => "alive" as const);
    const silent = delay(greetingPatience, "alive" as const, { ref: false });
    return await Promise.race([greeted, closed, silent]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "absent";
    if (code === "ECONNREFUSED") return "stale";
    if (code === "ECONNRESET" || code === "EPIPE") return "ending";
    throw error; // what is not certain is not taken away from anybody
  } finally {
    socket.on("error", () => {});
    socket.destroy();
  }
}
