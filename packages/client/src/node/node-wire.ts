import { once } from "node:events";
import { Agent, type IncomingMessage, request as ask } from "node:http";
import { text } from "node:stream/consumers";
import { errorOf, subprotocol } from "@fairlead/api";
import { WebSocket } from "ws";
import { ConnectionLost } from "../connection-lost.ts";
import { socketMessages } from "../socket-messages.ts";
import type { Wire, WireRequest } from "../wire.ts";

/** Where a service listens: at a socket, or at a port for those who have a token. A socket takes a token as well. */
export type NodeAddress =
  | { readonly socket: string; readonly token?: string }
  | { readonly url: string; readonly token: string };

/** The way by Node's own means: over a socket too, and with a reader that can hold the sender back. */
export function nodeWire(address: NodeAddress): Wire {
  const agent = new Agent({ keepAlive: true });
  const place = "socket" in address ? address.socket : address.url;
  const where = "socket" in address ? { socketPath: address.socket } : {};
  const base = "socket" in address ? "http://localhost" : address.url;
  const credential: Record<string, string> = address.token ? { authorization: `Bearer ${address.token}` } : {};
  const lost = (cause: unknown): ConnectionLost =>
    new ConnectionLost(`Fairlead cannot be reached at ${place}.`, { cause });

  return {
    fetch: async (path: string, { method, headers, body, signal }: WireRequest): Promise<Response> => {
      const own = {
        ...headers,
        ...credential,
        ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
      };
      try {
        const sent = ask(new URL(path, base), { ...where, method, headers: own, agent, ...(signal && { signal }) });
        sent.end(body);
        const [received] = (await once(sent, "response")) as [IncomingMessage];
        return responseOf(received, await text(received));
      } catch (error) {
        signal?.throwIfAborted();
        throw lost(error);
      }
    },
    open: (path, signal) => {
      const url =
        "socket" in address ? `ws+unix:${address.socket}:${path}` : new URL(path, base.replace(/^http/, "ws"));
      // The socket's own file name would be sent as the host otherwise.
      const headers = "socket" in address ? { ...credential, host: "localhost" } : credential;
      return messagesOf(new WebSocket(url, [subprotocol], { headers, perMessageDeflate: false }), signal);
    },
  };
}

async function* messagesOf(socket: WebSocket, signal: AbortSignal): AsyncGenerator<string> {
  const refused = { status: 0 };
  socket.on("unexpected-response", (_, { statusCode = 0 }: IncomingMessage) => {
    refused.status = statusCode;
    socket.terminate();
  });
  try {
    yield* socketMessages(socket, signal);
  } catch (error) {
    // What the service itself refuses, it will refuse again; what only fails may work later.
    throw refused.status >= 400 && refused.status < 500 ? errorOf(null, refused.status) : error;
  }
}

function responseOf({ statusCode = 500, headers }: IncomingMessage, body: string): Response {
  const type = headers["content-type"] ?? "";
  return new Response(statusCode === 204 ? null : body, { status: statusCode, headers: { "content-type": type } });
}
