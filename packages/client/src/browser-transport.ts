import { bearerSubprotocol, errorFromProblem, routes, subprotocol } from "@fairlead/api";
import { ConnectionLost } from "./connection-lost.ts";
import { readSocketMessages, sendSocketMessage } from "./read-socket-messages.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** Creates a transport over `fetch` and `WebSocket`, for browsers and for Node with TCP. `base` is the service's URL. */
export function browserTransport(base: string, token: string): Transport {
  const protocols = [subprotocol, `${bearerSubprotocol}${token}`];
  const authorization = `Bearer ${token}`;
  const openSocket = (path: string): WebSocket => new WebSocket(new URL(path, base.replace(/^http/, "ws")), protocols);

  /** Throws `not-allowed` if the service refuses the token. Any other answer, and none, says nothing about it. */
  const assertTokenValid = async (signal: AbortSignal): Promise<void> => {
    const request = fetch(new URL(routes.grant.path, base), { headers: { authorization }, signal });
    const response = await request.catch(() => null);
    if (response === null || ![401, 403].includes(response.status)) return;
    throw errorFromProblem(await response.json().catch(() => null), response.status);
  };

  /** A browser does not say why a handshake failed: a refused token looks like a service that is gone. */
  async function* readMessages(socket: WebSocket, signal: AbortSignal): AsyncGenerator<string> {
    let isOpened = false;
    socket.addEventListener("open", () => (isOpened = true));
    try {
      yield* readSocketMessages(socket, signal);
    } catch (error) {
      if (error instanceof ConnectionLost && !isOpened) await assertTokenValid(signal);
      throw error;
    }
  }

  return {
    fetch: async (path: string, request: TransportRequest): Promise<Response> => {
      const headers = { ...request.headers, authorization };
      try {
        return await fetch(new URL(path, base), { ...request, headers });
      } catch (error) {
        request.signal?.throwIfAborted();
        throw new ConnectionLost(`Cannot connect to Fairlead at ${base}.`, { cause: error });
      }
    },
    open: (path, signal) => readMessages(openSocket(path), signal),
    connect: (path, signal) => {
      const socket = openSocket(path);
      return { messages: readMessages(socket, signal), send: (text) => sendSocketMessage(socket, text) };
    },
  };
}
