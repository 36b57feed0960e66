import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { CredentialEndpoint } from "@fairlead/contract";
import { Admission, type AdmissionOptions } from "./admission.ts";
import { connectTarget } from "./connect-target.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { type ForwardOptions, forwardRequest, forwardUpgrade, refuse, refuseUpgrade } from "./forward-request.ts";
import { parseTarget, type Target, targetKey } from "./judge-host.ts";
import { resetConnection } from "./reset-connection.ts";
import { spliceSockets } from "./splice-sockets.ts";

/** The most connections of one listening socket. The keeper needs file descriptors for the spool, too. */
const maxConnections = 256;
/** A request may take as long as its agent thinks. */
const serverOptions: ServerOptions = { requestTimeout: 0, headersTimeout: 10_000, noDelay: true };

/**
 * Accepts what connects on the loopback of a sandbox, and connects outside what is admitted. Requests are `CONNECT`, which
 * is a tunnel, and plain `http` with an absolute URL. TLS is not read.
 */
export class GateServer implements Disposable {
  readonly #admission: Admission;
  readonly #proxy: HttpServer;
  readonly #handlers: { readonly listener: Server; readonly onConnection: (socket: Socket) => void }[] = [];
  readonly #sockets = new Set<Duplex>();
  #isClosed = false;

  constructor(options: AdmissionOptions) {
    this.#admission = new Admission(options);
    this.#proxy = createServer(serverOptions);
    this.#proxy.on("request", (incoming, response) => void this.#forwardRequest(incoming, response));
    this.#proxy.on("connect", (incoming, socket, head) => void this.#openTunnel(incoming, socket, head));
    this.#proxy.on("clientError", (_error, socket) => socket.destroy());
  }

  /** Serves the requests that arrive at a listening socket. */
  serveProxy(listener: Server): void {
    this.#accept(listener, (socket) => void this.#proxy.emit("connection", socket));
  }

  /** Connects everything that arrives at a listening socket with one target. */
  serveForward(listener: Server, target: Target): void {
    this.#accept(listener, (socket) => void this.#forwardConnection(socket, target));
  }

  /** Serves the agent's service at a listening socket, with a key that the agent does not have. */
  serveEndpoint(listener: Server, endpoint: CredentialEndpoint, key: string): void {
    const server = createServer(serverOptions);
    server.on("request", (incoming, response) => void this.#forwardToService(incoming, response, endpoint, key));
    server.on("upgrade", (incoming, socket, head) => {
      void this.#upgradeToService(incoming, { socket, head }, endpoint, key);
    });
    server.on("clientError", (_error, socket) => socket.destroy());
    this.#accept(listener, (socket) => void server.emit("connection", socket));
  }

  answer(target: Target, isAllowed: boolean): void {
    this.#admission.answer(target, isAllowed);
  }

  /** Closes all connections. The listening sockets stay open. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#admission[Symbol.dispose]();
    for (const { listener, onConnection } of this.#handlers) listener.off("connection", onConnection);
    this.#proxy.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(listener: Server, onSocket: (socket: Socket) => void): void {
    listener.maxConnections = maxConnections;
    // A field of the server that its sockets take over. A listener that comes from another process has the default.
    Object.assign(listener, { allowHalfOpen: true });
    listener.on("error", () => {});
    const onConnection = (socket: Socket): void => {
      socket.setNoDelay(true);
      this.#track(socket);
      onSocket(socket);
    };
    listener.on("connection", onConnection);
    this.#handlers.push({ listener, onConnection });
  }

  #track(socket: Duplex): void {
    if (this.#isClosed) socket.destroy();
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async #openTunnel({ url = "" }: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#track(socket);
    const target = parseTarget(url);
    if (target === null) {
      this.#admission.recordInvalid(url);
      return endWith(socket, 400, explainRefusal("the request", "invalid"));
    }
    const result = await this.#admission.admit(target);
    if (result === null) return resetConnection(socket);
    if ("refusedBy" in result) return endWith(socket, 403, explainRefusal(targetKey(target), result.refusedBy));
    try {
      const upstream = await connectTarget(target, result.addresses);
      this.#track(upstream);
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) upstream.write(head);
      spliceSockets(socket, upstream);
    } catch {
      resetConnection(socket);
    }
  }

  async #forwardConnection(socket: Socket, target: Target): Promise<void> {
    try {
      const result = await this.#admission.admit(target);
      if (result === null || "refusedBy" in result) return resetConnection(socket);
      const upstream = await connectTarget(target, result.addresses);
      this.#track(upstream);
      spliceSockets(socket, upstream);
    } catch {
      resetConnection(socket);
    }
  }

  async #forwardRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "" } = incoming;
    const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
    const target = parseTarget(/:\d+$/.test(authority) ? authority : `${authority}:80`);
    if (target === null) {
      this.#admission.recordInvalid(url);
      return refuse(response, 400, explainRefusal("the request", "invalid"));
    }
    const result = await this.#admission.admit(target);
    if (result === null) return resetConnection(response.socket);
    if ("refusedBy" in result) return refuse(response, 403, explainRefusal(targetKey(target), result.refusedBy));
    const outgoing = forwardRequest(incoming, response, {
      origin: { protocol: "http:", ...target },
      path: path.startsWith("/") ? path : `/${path}`,
      addresses: result.addresses,
    });
    outgoing.on("socket", (socket) => this.#track(socket));
  }

  async #forwardToService(
    incoming: IncomingMessage,
    response: ServerResponse,
    endpoint: CredentialEndpoint,
    key: string,
  ): Promise<void> {
    const result = await this.#admitService(incoming, endpoint, key);
    if (result === null) return resetConnection(response.socket);
    if ("refusal" in result) return refuse(response, result.status, result.refusal);
    forwardRequest(incoming, response, result).on("socket", (socket) => this.#track(socket));
  }

  async #upgradeToService(
    incoming: IncomingMessage,
    { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
    endpoint: CredentialEndpoint,
    key: string,
  ): Promise<void> {
    const result = await this.#admitService(incoming, endpoint, key);
    if (result === null) return refuseUpgrade(socket);
    if ("refusal" in result) return endWith(socket, result.status, result.refusal);
    forwardUpgrade(incoming, socket, head, result).on("socket", (upstream) => this.#track(upstream));
  }

  /** Judges a request to the agent's service. Only the service gets the key. Returns null if its name has no address. */
  async #admitService(
    { url: path = "", method }: IncomingMessage,
    { url, header, prefix }: CredentialEndpoint,
    key: string,
  ): Promise<ForwardOptions | { readonly refusal: string; readonly status: 404 | 502 } | null> {
    const { protocol, hostname, port, pathname } = new URL(url);
    const target = parseTarget(`${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`);
    const base = pathname.replace(/(?<!\/)\/+$/, "");
    // An answer to TRACE would contain the key. A server could resolve a path with dots to one outside of the base.
    if (target === null || method === "TRACE" || !path.startsWith(`${base}/`) || hasDotSegment(path)) {
      return { refusal: explainRefusal("the request", "invalid"), status: 404 };
    }
    const result = await this.#admission.admit(target);
    if (result === null) return null;
    if ("refusedBy" in result) return { refusal: explainRefusal(targetKey(target), result.refusedBy), status: 502 };
    return {
      origin: { protocol: protocol === "http:" ? "http:" : "https:", ...target },
      path,
      addresses: result.addresses,
      credential: { header, value: `${prefix}${key}` },
    };
  }
}

/** Whether a path has a segment that leads elsewhere, also if it is encoded. */
function hasDotSegment(url: string): boolean {
  const path = (url.split("?", 1)[0] ?? "").toLowerCase().replaceAll("%2e", ".");
  return path.split(/[/\\]|%2f|%5c/).some((segment) => segment === "." || segment === "..");
}

function endWith(socket: Duplex, status: 400 | 403 | 404 | 502, message: string): void {
  const reason = { 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 502: "Bad Gateway" }[status];
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n`;
  // A client that does not close its end must not keep the place of another.
  socket.end(`${head}Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`, () => socket.destroy());
  socket.resume();
}
