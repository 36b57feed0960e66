import { once } from "node:events";
import type { Server } from "node:http";
import type { ListenOptions } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { maxBodyBytes, subprotocol } from "@fairlead/api";
import { createAdaptorServer, type HttpBindings, type WebSocketServerLike } from "@hono/node-server";
import { WebSocketServer } from "ws";
import type { App } from "./app.ts";
import type { ConnectionBudget } from "./connection-budget.ts";
import { receiveBody } from "./receive-body.ts";

/** How long pending requests may take once the service is shutting down, in milliseconds. */
const closeTimeout = 2000;

/** One address at which the service listens, over HTTP and WebSocket. */
export class Listener implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(
    app: App,
    maxConnections: number,
    address: ListenOptions,
    budget?: ConnectionBudget,
  ): Promise<Listener> {
    const sockets = new WebSocketServer({
      noServer: true,
      // Only programs that run tools send messages: what they offer, and results.
      maxPayload: maxBodyBytes,
      perMessageDeflate: false,
      // The client may offer its token as a second subprotocol. The server must not send that back.
      handleProtocols: (offered) => offered.has(subprotocol) && subprotocol,
    });
    const server = createAdaptorServer({
      fetch: async (request, bindings) => {
        const response = await app.fetch(request, bindings);
        const { incoming, outgoing } = bindings as HttpBindings;
        if (!(await receiveBody(incoming))) outgoing.shouldKeepAlive = false;
        return response;
      },
      // The two types are compatible; only the overloads of their event methods are declared differently.
      websocket: { server: sockets as unknown as WebSocketServerLike },
      serverOptions: {
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 5000,
        maxHeaderSize: 16 << 10,
        // Any other upgrade request is handled as a plain request, so the client gets a response with a body.
        shouldUpgradeCallback: ({ headers, url = "" }) =>
          headers.upgrade?.toLowerCase() === "websocket" && /\/(events|tools)(\?|$)/.test(url),
      },
    }) as Server;
    server.maxConnections = maxConnections;
    server.on("connection", (socket) => budget?.admit(socket));
    server.listen(address);
    await once(server, "listening");
    return new Listener(server);
  }

  /** The TCP port, or null for a socket path. */
  get port(): number | null {
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? null) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    // `close` keeps a connection that becomes idle later, so idle connections are closed repeatedly.
    const idleTimer = setInterval(() => this.#server.closeIdleConnections(), 20);
    await Promise.race([closed, delay(closeTimeout, undefined, { ref: false })]);
    clearInterval(idleTimer);
    this.#server.closeAllConnections();
    await closed;
  }
}
