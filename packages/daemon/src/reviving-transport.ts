import type { Transport } from "@fairlead/client";

/** Wraps a transport: after a lost connection it restarts a killed daemon, before the client retries. */
export function revivingTransport(transport: Transport, revive: () => Promise<void>): Transport {
  return {
    fetch: async (path, request) => {
      try {
        return await transport.fetch(path, request);
      } catch (error) {
        if (!request.signal?.aborted) await revive();
        throw error;
      }
    },
    open: async function* (path, signal) {
      try {
        yield* transport.open(path, signal);
      } catch (error) {
        if (!signal.aborted) await revive();
        throw error;
      }
    },
  };
}
