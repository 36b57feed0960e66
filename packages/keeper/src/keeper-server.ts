import type { Server, Socket } from "node:net";
import { FrameRefused } from "./frame-refused.ts";
import { features, protocolName, type Reply } from "./frame.ts";
import type { Keeper } from "./keeper.ts";
import { parseFrame } from "./parse-frame.ts";
import { readLines } from "./read-lines.ts";

/** Lets any number of clients speak to one keeper. They come and go; the keeper and its processes do not notice. */
export class KeeperServer {
  readonly #keeper: Keeper;
  readonly #clients = new Set<Socket>();
  #synced: number | undefined;
  #wakePending = false;

  constructor(keeper: Keeper, server: Server) {
    this.#keeper = keeper;
    server.on("connection", (socket: Socket) => void this.#serve(socket));
  }

  /**
   * Tells all clients, soon and once for many records, how far the spool has grown. It is synced before, since they could
   * do nothing with it until it is; and each keeper waits for the disk by itself, where a client would wait for all.
   */
  wake(): void {
    if (this.#wakePending || this.#clients.size === 0) return;
    this.#wakePending = true;
    setImmediate(() => {
      this.#wakePending = false;
      this.#synced = this.#keeper.sync();
      for (const socket of this.#clients) this.#wakeOne(socket);
    });
  }

  /** Says nothing more, once what was said has been sent. */
  close(): void {
    for (const socket of this.#clients) socket.end(() => socket.destroy());
  }

  async #serve(socket: Socket): Promise<void> {
    this.#clients.add(socket);
    socket.on("error", () => {}); // a client that died is no concern of ours
    socket.on("drain", () => this.#wakeOne(socket));
    using _ = this.#keeper.attend();
    const { since, lastSeq } = this.#keeper;
    send(socket, { hello: protocolName, pid: process.pid, since, lastSeq, features });
    try {
      for await (const line of readLines(socket)) send(socket, this.#answer(line));
    } catch {
      // Gone in the middle of a line, or the line had no end: the connection is of no more use.
    } finally {
      this.#clients.delete(socket);
      socket.destroy();
    }
  }

  /** Whatever goes wrong here, nothing was recorded: the spool writes a record whole or not at all. */
  #answer(line: string): Reply {
    let id: string | null = null;
    try {
      const frame = parseFrame(line);
      id = frame.id;
      return this.#keeper.take(frame);
    } catch (error) {
      if (error instanceof FrameRefused) {
        return { error: error.id, message: error.message, ...(error.passing && { passing: true }) };
      }
      return { error: id, message: String(error) };
    }
  }

  /** A client that does not read is not told again and again; it hears the latest when it has caught up. */
  #wakeOne(socket: Socket): void {
    if (socket.writableNeedDrain) return;
    send(socket, { seq: this.#keeper.lastSeq, ...(this.#synced !== undefined && { synced: this.#synced }) });
  }
}

function send(socket: Socket, reply: Reply): void {
  if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
}
