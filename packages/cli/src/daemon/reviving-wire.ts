import type { Wire } from "@fairlead/client";

/** A way on which a daemon that has died is started again, before whoever lost the connection tries it once more. */
export function revivingWire(wire: Wire, revive: () => Promise<void>): Wire {
  return {
    fetch: async (path, request) => {
      try {
        return await wire.fetch(path, request);
      } catch (error) {
        if (!request.signal?.aborted) await revive();
        throw error;
      }
    },
    open: async function* (path, signal) {
      try {
        yield* wire.open(path, signal);
      } catch (error) {
        if (!signal.aborted) await revive();
        throw error;
      }
    },
  };
}
