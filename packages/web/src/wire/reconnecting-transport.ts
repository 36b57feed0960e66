import { ConnectionLost, type Transport } from "@fairlead/client";

/**
 * Ends what is under way when the service is reached again over another connection. A browser does not notice that the
 * network has swallowed a request or the end of a stream, and would wait for minutes. The client sends commands again with
 * the same key, and continues streams after their last event.
 */
export function reconnectingTransport(transport: Transport, getReconnected: () => AbortSignal): Transport {
  return {
    ...transport,
    fetch: async (path, request) => {
      const reconnected = getReconnected();
      try {
        const signal = AbortSignal.any([reconnected, ...(request.signal === undefined ? [] : [request.signal])]);
        const response = await transport.fetch(path, { ...request, signal });
        const { status, headers } = response;
        // Read here, because the network may also swallow the second half of an answer.
        const body = await response.blob();
        return new Response(body.size === 0 ? null : body, { status, headers });
      } catch (error) {
        request.signal?.throwIfAborted();
        throw reconnected.aborted ? createLoss(error) : error;
      }
    },
    open: async function* (path, signal) {
      const reconnected = getReconnected();
      const loss = Promise.withResolvers<never>();
      loss.promise.catch(() => {}); // a rejection that no iteration awaits would be reported as an error
      const end = (): void => loss.reject(createLoss());
      reconnected.addEventListener("abort", end);
      const messages = transport.open(path, AbortSignal.any([signal, reconnected]))[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = messages.next();
          next.catch(() => {}); // after the loss, its error does not matter
          // Not its end alone: a socket to a network that is gone takes long to close.
          const { value, done } = await Promise.race([next, loss.promise]);
          if (done === true) return;
          yield value;
        }
      } finally {
        reconnected.removeEventListener("abort", end);
        void messages.return?.()?.catch(() => {});
      }
    },
  };
}

function createLoss(cause?: unknown): ConnectionLost {
  return new ConnectionLost("The connection was lost, and is there again.", { cause });
}
