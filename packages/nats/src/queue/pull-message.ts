import { createInbox, type Msg } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import type { StreamRequests } from "./stream-requests.ts";

/** `expired`: ask again. `failed`: the consumer may be gone, or the servers elect a leader. `stopped`: the signal aborted. */
export type PullEnd = { readonly message: Msg } | "expired" | "failed" | "stopped";

// A taker that waits costs the servers one request each half minute and one heartbeat each 5 seconds.
const expiryMs = 30_000;
const heartbeatMs = 5_000;
const nanosecondsPerMs = 1_000_000;
const heartbeatStatus = 100;
const expiredStatus = 408;
const drainTimeout = 1_000;

/** Asks a consumer for one message, and waits for it until the request expires. */
export async function pullMessage(
  requests: StreamRequests,
  { stream, consumer }: { readonly stream: string; readonly consumer: string },
  signal: AbortSignal,
): Promise<PullEnd> {
  const { connection } = requests;
  const { promise, resolve } = Promise.withResolvers<PullEnd>();
  let hasEnded = false;
  const end = (how: PullEnd): void => {
    hasEnded = true;
    resolve(how);
  };
  const onAbort = (): void => end("stopped");
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  // A server that died takes the request with it, without a word to a client of another server.
  const timer = setTimeout(() => end("failed"), 2.5 * heartbeatMs);
  // The same, if the server of this connection was replaced by one that knows no request.
  const stopListening = requests.onReconnect(() => end("expired"));
  const inbox = createInbox();
  try {
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        const code = message?.headers?.code ?? 0;
        if (error !== null) end("failed");
        else if (code === heartbeatStatus) timer.refresh();
        else if (code !== 0) end(code === expiredStatus ? "expired" : "failed");
        else if (hasEnded) message.respond("-NAK");
        else end({ message });
      },
    });
    const query = { batch: 1, expires: expiryMs * nanosecondsPerMs, idle_heartbeat: heartbeatMs * nanosecondsPerMs };
    if (!hasEnded) {
      connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, JSON.stringify(query), { reply: inbox });
    }
    const how = await promise;
    if (typeof how === "object") subscription.unsubscribe();
    // Once it has no subscription, the request is void. A message that came meanwhile is returned to the queue at once: without
    // that it would be lost for a lease.
    else await Promise.race([subscription.drain().catch(() => {}), delay(drainTimeout, undefined, { ref: false })]);
    return how;
  } catch (error) {
    if (requests.closed.aborted || connection.isClosed()) return "stopped";
    throw error;
  } finally {
    clearTimeout(timer);
    stopListening();
    signal.removeEventListener("abort", onAbort);
  }
}
