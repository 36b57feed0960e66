import { createServer, type IncomingMessage, request, type Server as HttpServer, type ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { Admission, type AdmissionOptions } from "./admission.ts";
import { connectTarget, pinnedLookup } from "./connect-target.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { parseTarget, type Target, targetKey } from "./judge-host.ts";
import { spliceSockets } from "./splice-sockets.ts";

/** The most connections of one listening socket. The keeper needs file descriptors for the spool, too. */
const maxConnections = 256;
const headersTimeoutMs = 10_000;

/** Headers that concern one connection and not the request. */
const connectionHeaders = new Set(
  "connection proxy-connection proxy-authorization proxy-authenticate keep-alive te trailer transfer-encoding upgrade host".split(
    " ",
  ),
);

/**
 * Accepts what connects on the loopback of a sandbox, and connects outside what is admitted. Requests are `CONNECT`, which
 * is a tunnel, and plain `http` with an absolute URL. TLS is not read.
 */
export class GateServer implements Disposable {
  readonly #admission: Admission;
  readonly #proxy: HttpServer;
  readonly #listeners: Server[] = [];
  readonly #sockets = new Set<Duplex>();
  #isClosed = false;

  constructor(options: AdmissionOptions) {
    this.#admission = new Admission(options);
    // A request may take as long as its agent thinks.
    this.#proxy = createServer({ requestTimeout: 0, headersTimeout: headersTimeoutMs, noDelay: true });
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

  answer(target: Target, isAllowed: boolean): void {
    this.#admission.answer(target, isAllowed);
  }

  /** Closes all connections. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#admission[Symbol.dispose]();
    for (const listener of this.#listeners) listener.close();
    this.#proxy.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(listener: Server, onSocket: (socket: Socket) => void): void {
    listener.maxConnections = maxConnections;
    // A field of the server that its sockets take over. A listener that comes from another process has the default.
    Object.assign(listener, { allowHalfOpen: true });
    listener.on("error", () => {});
    listener.on("connection", (socket: Socket) => {
      socket.setNoDelay(true);
      this.#track(socket);
      onSocket(socket);
    });
    this.#listeners.push(listener);
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
    if ("refusedBy" in result) return endWith(socket, 403, explainRefusal(targetKey(target), result.refusedBy));
    try {
      const upstream = await connectTarget(target, result.addresses);
      this.#track(upstream);
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) upstream.write(head);
      spliceSockets(socket, upstream);
    } catch (error) {
      endWith(socket, 502, `The host ${targetKey(target)} could not be reached: ${String(error)}\n`);
    }
  }

  async #forwardConnection(socket: Socket, target: Target): Promise<void> {
    try {
      const result = await this.#admission.admit(target);
      if ("refusedBy" in result) return void socket.destroy();
      const upstream = await connectTarget(target, result.addresses);
      this.#track(upstream);
      spliceSockets(socket, upstream);
    } catch {
      socket.destroy();
    }
  }

  async #forwardRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "", method = "GET" } = incoming;
    const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
    const target = parseTarget(/:\d+$/.test(authority) ? authority : `${authority}:80`);
    if (target === null) {
      this.#admission.recordInvalid(url);
      return refuse(response, 400, explainRefusal("the request", "invalid"));
    }
    const result = await this.#admission.admit(target);
    if ("refusedBy" in result) return refuse(response, 403, explainRefusal(targetKey(target), result.refusedBy));
    const outgoing = request({
      host: target.host,
      port: target.port,
      method,
      path: path.startsWith("/") ? path : `/${path}`,
      // The name that was judged, whatever the agent put into the header.
      headers: [...withoutConnectionHeaders(incoming.rawHeaders), "Host", hostHeader(target)],
      setHost: false,
      agent: false,
      lookup: pinnedLookup(result.addresses),
    });
    outgoing.on("socket", (socket) => this.#track(socket));
    outgoing.on("response", (answer) => {
      const headers = withoutConnectionHeaders(answer.rawHeaders);
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
      pipeline(answer, response, () => {});
    });
    pipeline(incoming, outgoing, (error) => {
      if (error) failResponse(response, `The host ${targetKey(target)} could not be reached: ${error.message}\n`);
    });
    response.once("close", () => outgoing.destroy());
  }
}

function withoutConnectionHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!connectionHeaders.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

const hostHeader = (target: Target): string => (target.port === 80 ? target.host : targetKey(target));

function refuse(response: ServerResponse, status: number, message: string): void {
  // What is left of the request is not read.
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(message);
}

function failResponse(response: ServerResponse, message: string): void {
  if (response.headersSent) response.destroy();
  else refuse(response, 502, message);
}

function endWith(socket: Duplex, status: 400 | 403 | 502, message: string): void {
  const reason = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" }[status];
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n`;
  // A client that does not close its end must not keep the place of another.
  socket.end(`${head}Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`, () => socket.destroy());
  socket.resume();
}
