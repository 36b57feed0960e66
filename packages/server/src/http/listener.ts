import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, Server as TlsServer } from "node:https";
import type { ListenOptions, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { maxBodyBytes, subprotocol } from "@fairlead/api";
import { createAdaptorServer, type HttpBindings, type WebSocketServerLike } from "@hono/node-server";
import { WebSocketServer } from "ws";
import type { App } from "./app.ts";
import type { ConnectionBudget } from "./connection-budget.ts";
import { receiveBody } from "./receive-body.ts";
import { type Certificate, minTlsVersion } from "./tls/certificate.ts";

/** How long pending requests may take once the service is shutting down, in milliseconds. */
const closeTimeout = 2000;

/** How long a TLS handshake may take, in milliseconds. Until its end, the connection counts as unauthorized. */
const handshakeTimeout = 10_000;

export interface ListenerOptions {
  readonly budget?: ConnectionBudget;
  /** With a certificate, the listener speaks only TLS. */
  readonly certificate?: Certificate;
}

/** One address at which the service listens, over HTTP and WebSocket. */
export class Listener implements AsyncDisposable {
  readonly #server: Server | TlsServer;
  /** The connections, also those whose TLS handshake or WebSocket the server does not count. */
  readonly #connections = new Set<Socket>();

  private constructor(server: Server | TlsServer) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      this.#connections.add(socket);
      socket.once("close", () => this.#connections.delete(socket));
    });
  }

  static async open(
    app: App,
    maxConnections: number,
    address: ListenOptions,
    { budget, certificate }: ListenerOptions = {},
  ): Promise<Listener> {
    const sockets = new WebSocketServer({
      noServer: true,
      // Only programs that run tools send messages: what they offer, and results.
      maxPayload: maxBodyBytes,
      // Only long messages: the first state of an overview has hundreds of views, which a phone would wait for. Without
      // a context that is kept, an idle connection costs no memory.
      perMessageDeflate: { threshold: 16 << 10, serverNoContextTakeover: true, clientNoContextTakeover: true },
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
      createServer: certificate ? createTlsServer : createServer,
      serverOptions: {
        ...(certificate && { ...certificate, minVersion: minTlsVersion, handshakeTimeout }),
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        connectionsCheckingInterval: 5000,
        maxHeaderSize: 16 << 10,
        // Any other upgrade request is handled as a plain request, so the client gets a response with a body.
        shouldUpgradeCallback: ({ headers, url = "" }) =>
          headers.upgrade?.toLowerCase() === "websocket" && /\/(events|overview|tools)(\?|$)/.test(url),
      },
    }) as Server | TlsServer;
    server.maxConnections = maxConnections;
    server.on("connection", (socket: Socket) => budget?.admit(socket));
    const listener = new Listener(server);
    server.listen(address);
    await once(server, "listening");
    return listener;
  }

  /** The TCP port, or null for a socket path. */
  get port(): number | null {
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? null) : null;
  }

  /** Uses another certificate for new connections. Existing connections stay open. */
  replaceCertificate(certificate: Certificate): void {
    if (this.#server instanceof TlsServer) this.#server.setSecureContext({ ...certificate, minVersion: minTlsVersion });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    // `close` keeps a connection that becomes idle later, so idle connections are closed repeatedly.
    const idleTimer = setInterval(() => this.#server.closeIdleConnections(), 20);
    await Promise.race([closed, delay(closeTimeout, undefined, { ref: false })]);
    clearInterval(idleTimer);
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }
}
