import { once } from "node:events";
import { unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";

/** Somebody else answers at the socket. */
export class AlreadyKept extends Error {}

/** Listens at a socket. One that a killed keeper has left behind is replaced; a living one is left alone. */
export async function listen(path: string): Promise<Server> {
  try {
    return await bind(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
  }
  if (await answers(path)) throw new AlreadyKept(path);
  unlinkSync(path);
  return bind(path);
}

async function bind(path: string): Promise<Server> {
  const server = createServer();
  server.listen(path);
  await once(server, "listening");
  return server;
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
