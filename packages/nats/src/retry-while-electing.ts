import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import { NoRespondersError, RequestError, TimeoutError } from "@nats-io/transport-node";

// Electing a leader takes 5 to 10 seconds after the death or the pause of a server.
const electionTimeout = 15_000;
const pause = 250;

// No peer for a replica: a server that was paused counts as offline. And: the servers have no leader.
const electionCodes = [10005, 10008];

/** Repeats a request that may be repeated, while the servers elect a leader or a server has just come back. */
export async function retryWhileElecting<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + electionTimeout;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isElecting(error) || performance.now() > end) throw error;
    }
    await delay(pause);
  }
}

function isElecting(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return electionCodes.includes(error.code);
  if (error instanceof TimeoutError || error instanceof NoRespondersError) return true;
  return error instanceof RequestError && error.isNoResponders();
}
