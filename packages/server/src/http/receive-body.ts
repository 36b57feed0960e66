import type { IncomingMessage } from "node:http";

/** What the server receives of a body that nobody reads. */
export interface UnreadBodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

const defaultLimits: UnreadBodyLimits = { bytes: 16 << 20, ms: 5000 };

/**
 * Receives the rest of a body that no handler read, because the request was refused first. Without it, the connection is
 * closed soon after the answer, when the client may have sent the next request on it. Returns whether the body ended.
 */
export async function receiveBody(
  incoming: IncomingMessage,
  limits: UnreadBodyLimits = defaultLimits,
): Promise<boolean> {
  if (incoming.complete) return true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limits.ms);
  let received = 0;
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > limits.bytes) resolve();
  };
  incoming.on("data", onData).once("end", resolve).once("close", resolve).resume();
  await promise;
  clearTimeout(timer);
  incoming.off("data", onData).off("end", resolve).off("close", resolve);
  return incoming.complete;
}
