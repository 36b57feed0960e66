import type { Server, Socket } from "node:net";
import { RequestRejected } from "./request-rejected.ts";
import { features, keeperProtocolName, type AttendRequest, type KeeperReply } from "./messages.ts";
import type { Keeper } from "../keeper.ts";
import { parseKeeperRequest } from "./parse-keeper-request.ts";
import { readSocketLines } from "./socket-line-splitter.ts";

/** Serves any number of clients of one keeper. A client that connects or disconnects does not affect the processes. */
export class KeeperServer {
  readonly #keeper: Keeper;
  readonly #clients = new Set<Socket>();
  #syncedSeq: number | undefined;
  #wakePending = false;

  constructor(keeper: Keeper, server: Server) {
    this.#keeper = keeper;
    server.on("connection", (socket: Socket) => void this.#serve(socket));
  }

  /**
   * Schedules one message to all clients with the last sequence of the spool, for any number of new records. The spool
   * is synced first, because clients cannot use a record before it is. Keepers sync in parallel, whereas a client would
   * have to sync the spools of all its sessions one after the other.
   */
  wake(): void {
    if (this.#wakePending || this.#clients.size === 0) return;
    this.#wakePending = true;
    setImmediate(() => {
      this.#wakePending = false;
      this.#syncedSeq = this.#keeper.sync();
      for (const socket of this.#clients) this.#sendWake(socket);
    });
  }

  /** Closes all connections after the pending replies are sent. */
  close(): void {
    for (const socket of this.#clients) socket.end(() => socket.destroy());
  }

  async #serve(socket: Socket): Promise<void> {
    this.#clients.add(socket);
    socket.on("error", () => {}); // a client that dies does not affect the keeper
    socket.on("drain", () => this.#sendWake(socket));
    using _ = this.#keeper.acquireLease();
    const { startSeq, lastSeq } = this.#keeper;
    send(socket, { hello: keeperProtocolName, pid: process.pid, startSeq, lastSeq, features });
    try {
      for await (const line of readSocketLines(socket)) {
        const reply = this.#handleLine(line);
        if (reply !== null) send(socket, reply);
      }
    } catch {
      // The client disconnected within a line, or the line was too long: the connection cannot be used any further.
    } finally {
      this.#clients.delete(socket);
      socket.destroy();
    }
  }

  /**
   * Replies with an error for any failure: nothing was recorded then, because the spool writes a whole record or none. Returns
   * null for a request without a reply.
   */
  #handleLine(line: string): KeeperReply | null {
    let id: string | null = null;
    try {
      const request = parseKeeperRequest(line);
      id = request.id;
      if (request.do === "attend") return this.#attend(request);
      return this.#keeper.handle(request);
    } catch (error) {
      if (error instanceof RequestRejected) {
        return { error: error.id, message: error.message, ...(error.retryable && { retryable: true }) };
      }
      return { error: id, message: String(error) };
    }
  }

  /** Never fails: the client would take an error for the reply to its next request. */
  #attend({ confirmedAt, freezeAt, endAt, onlyShortens = false }: AttendRequest): null {
    const times = { confirmedAt: BigInt(confirmedAt), freezeAt: BigInt(freezeAt), endAt: BigInt(endAt) };
    this.#keeper.attend({ ...times, onlyShortens });
    return null;
  }

  /** Skips a client that does not read. It gets the latest sequence once it has drained its socket. */
  #sendWake(socket: Socket): void {
    if (socket.writableNeedDrain) return;
    send(socket, { seq: this.#keeper.lastSeq, ...(this.#syncedSeq !== undefined && { synced: this.#syncedSeq }) });
  }
}

function send(socket: Socket, reply: KeeperReply): void {
  if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
}
