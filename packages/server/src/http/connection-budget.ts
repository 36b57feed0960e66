import type { Socket } from "node:net";

/**
 * Limits the connections that have not sent an authorized request. Above the limit, the oldest of them is closed, so that
 * connections that stay silent cannot keep callers with a token out. Authorized connections have the rest of the
 * listener's limit.
 */
export class ConnectionBudget {
  readonly #limit: number;
  /** In the order in which they were opened. */
  readonly #unauthorized = new Map<string | Socket, Socket>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a new connection as unauthorized, and closes the oldest one above the limit. */
  admit(socket: Socket): void {
    const key = identifyConnection(socket);
    this.#unauthorized.set(key, socket);
    socket.once("close", () => {
      if (this.#unauthorized.get(key) === socket) this.#unauthorized.delete(key);
    });
    const [oldest] = this.#unauthorized.values();
    if (this.#unauthorized.size > this.#limit) oldest?.destroy();
  }

  /** Counts a connection as authorized from now on. */
  authorize(socket: Socket): void {
    this.#unauthorized.delete(identifyConnection(socket));
  }
}

/**
 * With TLS, the socket of a request is another object than that of the TCP connection, which is admitted before the
 * handshake. Both have the same remote address and port. A connection to a Unix socket has neither.
 */
function identifyConnection(socket: Socket): string | Socket {
  const { remoteAddress, remotePort } = socket;
  return remotePort === undefined ? socket : `${remoteAddress} ${remotePort}`;
}
