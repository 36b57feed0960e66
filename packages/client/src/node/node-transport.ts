import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { errorFromProblem, type Scope, scopesHeader, subprotocol } from "@fairlead/api";
import { WebSocket } from "ws";
import { ConnectionLost } from "../connection-lost.ts";
import { readSocketMessages, sendSocketMessage } from "../read-socket-messages.ts";
import type { Transport, TransportRequest } from "../transport.ts";

/** The address of a service: a Unix socket with an optional token, or a URL with a token. */
export type NodeAddress = (
  | { readonly socket: string; readonly token?: string }
  | { readonly url: string; readonly token: string }
) & {
  /** The scopes to keep, of those that the caller has. Default: all of them. */
  readonly scopes?: readonly Scope[];
};

/** Creates a transport with Node's HTTP client, which supports Unix sockets and flow control. */
export function nodeTransport(address: NodeAddress): Transport {
  const agent = new Agent({ keepAlive: true });
  const addressText = "socket" in address ? address.socket : address.url;
  const socketOptions = "socket" in address ? { socketPath: address.socket } : {};
  const base = "socket" in address ? "http://localhost" : address.url;
  const credential: Record<string, string> = {
    ...(address.token && { authorization: `Bearer ${address.token}` }),
    ...(address.scopes && { [scopesHeader]: address.scopes.join(",") }),
  };
  const toConnectionLost = (cause: unknown): ConnectionLost =>
    new ConnectionLost(`Cannot connect to Fairlead at ${addressText}.`, { cause });

  const openSocket = (path: string): WebSocket => {
    const url = "socket" in address ? `ws+unix:${address.socket}:${path}` : new URL(path, base.replace(/^http/, "ws"));
    // Otherwise the client would send the socket's file name as the host.
    const headers = "socket" in address ? { ...credential, host: "localhost" } : credential;
    return new WebSocket(url, [subprotocol], { headers, perMessageDeflate: false });
  };

  return {
    fetch: async (path: string, { method, headers, body, signal }: TransportRequest): Promise<Response> => {
      const requestHeaders = {
        ...headers,
        ...credential,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      };
      try {
        const clientRequest = request(new URL(path, base), {
          ...socketOptions,
          method,
          headers: requestHeaders,
          agent,
          ...(signal && { signal }),
        });
        clientRequest.end(body);
        const [incoming] = (await once(clientRequest, "response")) as [IncomingMessage];
        return toResponse(incoming, await text(incoming));
      } catch (error) {
        signal?.throwIfAborted();
        throw toConnectionLost(error);
      }
    },
    open: (path, signal) => readMessages(openSocket(path), signal),
    connect: (path, signal) => {
      const socket = openSocket(path);
      return { messages: readMessages(socket, signal), send: (message) => sendSocketMessage(socket, message) };
    },
  };
}

async function* readMessages(socket: WebSocket, signal: AbortSignal): AsyncGenerator<string> {
  const upgradeRejection = { status: 0 };
  socket.on("unexpected-response", (_, { statusCode = 0 }: IncomingMessage) => {
    upgradeRejection.status = statusCode;
    socket.terminate();
  });
  try {
    yield* readSocketMessages(socket, signal);
  } catch (error) {
    // The service would reject the request again after a 4xx status. Other failures may be temporary.
    throw upgradeRejection.status >= 400 && upgradeRejection.status < 500
      ? errorFromProblem(null, upgradeRejection.status)
      : error;
  }
}

function toResponse({ statusCode = 500, headers }: IncomingMessage, body: string): Response {
  const type = headers["content-type"] ?? "";
  return new Response(statusCode === 204 ? null : body, { status: statusCode, headers: { "content-type": type } });
}
