import { once } from "node:events";
import type { Server } from "node:http";
import type { ListenOptions } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { subprotocol } from "@fairlead/api";
import { createAdaptorServer, type WebSocketServerLike } from "@hono/node-server";
import { WebSocketServer } from "ws";
import type { App } from "./app.ts";

/** How long calls that are under way may take to be answered, once the service is ending. */
const grace = 2000;

/** One place at which the service listens, over HTTP and WebSocket. */
export class Listener implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(app: App, connections: number, where: ListenOptions): Promise<Listener> {
    const sockets = new WebSocketServer({
      noServer: true,
      // Readers have nothing to say; what they send is thrown away.
      maxPayload: 4096,
      perMessageDeflate: false,
      // The token that may stand beside it is never sent back.
      handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    });
    const server = createAdaptorServer({
      fetch: app.fetch,
      // Both are written for each other; only the overloads of their events are spelt differently.
      websocket: { server: sockets as unknown as WebSocketServerLike },
      serverOptions: {
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 5000,
        maxHeaderSize: 16 << 10,
        // Whatever else somebody wants to upgrade is a request like any other, and answered with a body.
        shouldUpgradeCallback: ({ headers, url = "" }) =>
          headers.upgrade?.toLowerCase() === "websocket" && /\/events(\?|$)/.test(url),
      },
    }) as Server;
    server.maxConnections = connections;
    server.listen(where);
    await once(server, "listening");
    return new Listener(server);
  }

  /** The port, if it listens at one. */
  get port(): number | null {
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? null) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    // A connection that becomes idle only now would otherwise be kept for calls that will not come.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 20);
    await Promise.race([closed, delay(grace, undefined, { ref: false })]);
    clearInterval(sweep);
    this.#server.closeAllConnections();
    await closed;
  }
}
