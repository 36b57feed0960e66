import { bearerSubprotocol, subprotocol } from "@fairlead/api";
import { ConnectionLost } from "./connection-lost.ts";
import { readSocketMessages, sendSocketMessage } from "./read-socket-messages.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** Creates a transport over `fetch` and `WebSocket`, for browsers and for Node with TCP. `base` is the service's URL. */
export function browserTransport(base: string, token: string): Transport {
  const protocols = [subprotocol, `${bearerSubprotocol}${token}`];
  const openSocket = (path: string): WebSocket => new WebSocket(new URL(path, base.replace(/^http/, "ws")), protocols);
  return {
    fetch: async (path: string, request: TransportRequest): Promise<Response> => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      try {
        return await fetch(new URL(path, base), { ...request, headers });
      } catch (error) {
        request.signal?.throwIfAborted();
        throw new ConnectionLost(`Cannot connect to Fairlead at ${base}.`, { cause: error });
      }
    },
    open: (path, signal) => readSocketMessages(openSocket(path), signal),
    connect: (path, signal) => {
      const socket = openSocket(path);
      return { messages: readSocketMessages(socket, signal), send: (text) => sendSocketMessage(socket, text) };
    },
  };
}
