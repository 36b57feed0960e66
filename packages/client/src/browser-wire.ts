import { bearerSubprotocol, subprotocol } from "@fairlead/api";
import { ConnectionLost } from "./connection-lost.ts";
import { socketMessages } from "./socket-messages.ts";
import type { Wire, WireRequest } from "./wire.ts";

/** The way by `fetch` and `WebSocket`, as browsers have them, and Node for ports. `base` is where the service listens. */
export function browserWire(base: string, token: string): Wire {
  const protocols = [subprotocol, `${bearerSubprotocol}${token}`];
  return {
    fetch: async (path: string, request: WireRequest): Promise<Response> => {
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      try {
        return await fetch(new URL(path, base), { ...request, headers });
      } catch (error) {
        request.signal?.throwIfAborted();
        throw new ConnectionLost(`Fairlead cannot be reached at ${base}.`, { cause: error });
      }
    },
    open: (path, signal) => {
      const address = new URL(path, base.replace(/^http/, "ws"));
      return socketMessages(new WebSocket(address, protocols), signal);
    },
  };
}
