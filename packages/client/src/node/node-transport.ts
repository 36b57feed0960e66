import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { errorFromProblem, scopesHeader, subprotocol } from "@fairlead/api";
import { WebSocket } from "ws";
import { checkServiceUrl } from "./check-service-url.ts";
import { ConnectionLost } from "../connection-lost.ts";
import { ServiceUnavailable } from "../service-unavailable.ts";
import { readSocketMessages, sendSocketMessage } from "../read-socket-messages.ts";
import type { Transport, TransportRequest } from "../transport.ts";
import { explainConnectionError } from "./explain-connection-error.ts";
import { explainRefusedRequest } from "./explain-refused-request.ts";
import type { NodeAddress } from "./node-address.ts";
import { readTlsOptions } from "./read-tls-options.ts";

/** How long a connection to another machine may take, its TLS handshake included, in milliseconds. */
const connectTimeout = 15_000;
/** How long such a connection is silent before the kernel checks that the other machine still exists, in milliseconds. */
const keepAliveDelay = 10_000;

/**
 * Creates a transport with Node's HTTP client, which supports Unix sockets, private certificate authorities and flow
 * control. Throws `invalid-settings` for a URL over which a token would cross a network unencrypted.
 */
export function nodeTransport(address: NodeAddress): Transport {
  const url = "socket" in address ? null : checkServiceUrl(address.url);
  const isSecure = url?.protocol === "https:";
  const tlsOptions = "url" in address && isSecure ? readTlsOptions(address.ca) : {};
  const agent = isSecure
    ? new TlsAgent({ keepAlive: true, keepAliveMsecs: keepAliveDelay, ...tlsOptions })
    : new Agent({ keepAlive: true });
  const socketOptions = "socket" in address ? { socketPath: address.socket } : {};
  const base = url?.origin ?? "http://localhost";
  const credential: Record<string, string> = {
    ...(address.token && { authorization: `Bearer ${address.token}` }),
    ...(address.scopes && { [scopesHeader]: address.scopes.join(",") }),
  };
  let hasConnected = false;
  const explain = (cause: unknown): Error => {
    if ("socket" in address) return new ConnectionLost(`Cannot connect to Fairlead at ${address.socket}.`, { cause });
    const attempt = { url: checkServiceUrl(address.url), hasAuthority: address.ca !== undefined, hasConnected };
    return explainConnectionError(cause, attempt);
  };
  /** Throws if the service refuses the token or its name. Every other status is the caller's. */
  const acceptStatus = (status: number): void => {
    hasConnected = true;
    const refusal = url && explainRefusedRequest(status, url);
    if (refusal) throw refusal;
  };

  const openSocket = (path: string): WebSocket => {
    const target =
      "socket" in address ? `ws+unix:${address.socket}:${path}` : new URL(path, base.replace(/^http/, "ws"));
    // Otherwise the client would send the socket's file name as the host.
    const headers = "socket" in address ? { ...credential, host: "localhost" } : credential;
    const timeout = url === null ? {} : { handshakeTimeout: connectTimeout };
    const socket = new WebSocket(target, [subprotocol], {
      headers,
      perMessageDeflate: false,
      ...timeout,
      ...tlsOptions,
    });
    if (url !== null) socket.once("upgrade", ({ socket: connection }) => connection.setKeepAlive(true, keepAliveDelay));
    return socket;
  };

  async function* readMessages(socket: WebSocket, signal: AbortSignal): AsyncGenerator<string> {
    let rejectedStatus = 0;
    let problem: unknown;
    socket.once("error", (error) => (problem = error));
    socket.once("open", () => (hasConnected = true));
    socket.on("unexpected-response", (_, { statusCode = 0 }: IncomingMessage) => {
      rejectedStatus = statusCode;
      socket.terminate();
    });
    try {
      yield* readSocketMessages(socket, signal);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (rejectedStatus > 0) acceptStatus(rejectedStatus);
      // The service would reject the request again after a 4xx status. Other failures may be temporary.
      if (rejectedStatus >= 400 && rejectedStatus < 500) throw errorFromProblem(null, rejectedStatus);
      if (rejectedStatus === 503)
        throw new ServiceUnavailable("The service is not available at the moment (status 503).", { cause: error });
      throw url === null || rejectedStatus > 0 || problem === undefined ? error : explain(problem);
    }
  }

  return {
    fetch: async (path: string, { method, headers, body, signal }: TransportRequest): Promise<Response> => {
      const requestHeaders = {
        ...headers,
        ...credential,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      };
      let response: Response;
      try {
        const clientRequest = (isSecure ? tlsRequest : request)(new URL(path, base), {
          ...socketOptions,
          method,
          headers: requestHeaders,
          agent,
          ...(signal && { signal }),
        });
        if (url !== null) limitConnectTime(clientRequest, isSecure);
        clientRequest.end(body);
        const [incoming] = (await once(clientRequest, "response")) as [IncomingMessage];
        response = toResponse(incoming, await text(incoming));
      } catch (error) {
        signal?.throwIfAborted();
        throw explain(error);
      }
      acceptStatus(response.status);
      return response;
    },
    open: (path, signal) => readMessages(openSocket(path), signal),
    connect: (path, signal) => {
      const socket = openSocket(path);
      return { messages: readMessages(socket, signal), send: (message) => sendSocketMessage(socket, message) };
    },
  };
}

/** Ends a request whose connection is not established in time. The kernel alone would try for minutes. */
function limitConnectTime(clientRequest: ClientRequest, isSecure: boolean): void {
  clientRequest.once("socket", (socket: Socket) => {
    if (clientRequest.reusedSocket) return;
    const timedOut = Object.assign(new Error("The connection took too long."), { code: "ETIMEDOUT" });
    const timer = setTimeout(() => clientRequest.destroy(timedOut), connectTimeout);
    const onConnected = (): void => {
      clearTimeout(timer);
      socket.setKeepAlive(true, keepAliveDelay);
    };
    socket.once(isSecure ? "secureConnect" : "connect", onConnected);
    socket.once("close", () => clearTimeout(timer));
  });
}

function toResponse({ statusCode = 500, headers }: IncomingMessage, body: string): Response {
  const type = headers["content-type"] ?? "";
  return new Response(statusCode === 204 ? null : body, { status: statusCode, headers: { "content-type": type } });
}
