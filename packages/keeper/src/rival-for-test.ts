import { once } from "node:events";
import { unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { claimSocket } from "./claim-socket.ts";

/**
 * One of several processes that want the same socket at the same moment: reads `{"path", "at"}`, a time of the machine's
 * steady clock in nanoseconds, and says `won` or `lost`. It lets go of what it has won when it is asked again.
 */

/** The obvious way, which lets two win: between the look and the removal somebody else may have come. */
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
let won: Server | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  won?.close();
  won = undefined;
  const { path, at } = JSON.parse(line) as { path: string; at: string };
  const left = (): number => Number(BigInt(at) - process.hrtime.bigint()) / 1e6;
  await delay(Math.max(0, left() - 2));
  while (left() > 0);
  won = await claim(path).catch(() => undefined);
  won?.on("connection", (socket) => socket.on("error", () => {}).end("hello\n"));
  console.log(won === undefined ? "lost" : "won");
}
