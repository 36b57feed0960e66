import type { Socket } from "node:net";

/**
 * Limits the connections that have not sent an authorized request. Above the limit, the oldest of them is closed, so that
 * connections that stay silent cannot keep callers with a token out. Authorized connections have the rest of the
 * listener's limit.
 */
export class ConnectionBudget {
  readonly #limit: number;
  /** In the order in which they were opened. */
  readonly #unauthorized = new Set<Socket>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a new connection as unauthorized, and closes the oldest one above the limit. */
  admit(socket: Socket): void {
    this.#unauthorized.add(socket);
    socket.once("close", () => this.#unauthorized.delete(socket));
    const [oldest] = this.#unauthorized;
    if (this.#unauthorized.size > this.#limit) oldest?.destroy();
  }

  /** Counts a connection as authorized from now on. */
  authorize(socket: Socket): void {
    this.#unauthorized.delete(socket);
  }
}
