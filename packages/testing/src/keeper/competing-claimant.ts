import { once } from "node:events";
import { unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { claimSocket } from "../../../keeper/src/protocol/claim-socket.ts";

/**
 * A program that competes with others for a socket. It reads lines `{"path", "at"}`, claims the socket at `at`, a
 * monotonic time in nanoseconds, and prints `won` or `lost`. With the next line it first closes a socket that it has
 * won.
 */

/** The obvious implementation, with which two may win: another process may bind between the check and the removal. */
async function claimNaively(path: string): Promise<Server> {
  const bind = async (): Promise<Server> => {
    const server = createServer().listen(path);
    await once(server, "listening");
    return server;
  };
  try {
    return await bind();
  } catch {
    const socket = connect(path);
    const isAlive = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isAlive) throw new Error("taken");
    unlinkSync(path);
    return bind();
  }
}

const claim = process.argv[2] === "naive" ? claimNaively : claimSocket;
let claimed: Server | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  claimed?.close();
  claimed = undefined;
  const { path, at } = JSON.parse(line) as { path: string; at: string };
  const remainingMs = (): number => Number(BigInt(at) - process.hrtime.bigint()) / 1e6;
  await delay(Math.max(0, remainingMs() - 2));
  while (remainingMs() > 0);
  claimed = await claim(path).catch(() => undefined);
  claimed?.on("connection", (socket) => socket.on("error", () => {}).end("hello\n"));
  console.log(claimed === undefined ? "lost" : "won");
}
