import type { Transport } from "@fairlead/client";

/** Wraps a transport: after a lost connection it restarts a killed daemon, before the client retries. */
export function revivingTransport(transport: Transport, revive: () => Promise<void>): Transport {
  async function* reviveAfterLoss(messages: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
    try {
      yield* messages;
    } catch (error) {
      if (!signal.aborted) await revive();
      throw error;
    }
  }
  return {
    fetch: async (path, request) => {
      try {
        return await transport.fetch(path, request);
      } catch (error) {
        if (!request.signal?.aborted) await revive();
        throw error;
      }
    },
    open: (path, signal) => reviveAfterLoss(transport.open(path, signal), signal),
    connect: (path, signal) => {
      const connection = transport.connect(path, signal);
      return {
        messages: reviveAfterLoss(connection.messages, signal),
        send: (message) => connection.send(message),
      };
    },
  };
}
