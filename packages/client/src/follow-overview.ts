import { type OverviewFrame, overviewHeartbeatMs, type OverviewMessage, routes } from "@fairlead/api";
import type { Backoff } from "./backoff.ts";
import { ConnectionLost } from "./connection-lost.ts";
import { toStreamError } from "./to-stream-error.ts";
import type { Transport } from "./transport.ts";

export interface OverviewFollowOptions {
  readonly after: string | undefined;
  readonly signal: AbortSignal;
  /** After how many milliseconds without a message the connection counts as lost. */
  readonly silenceTimeoutMs?: number;
}

/**
 * Yields the frames of the overview. After a lost connection, and after the service was unavailable, it reconnects and
 * continues after the last position. A connection over which the service sends nothing for five heartbeats counts as lost:
 * a browser would not notice that the network is gone.
 */
export async function* followOverview(
  transport: Transport,
  backoff: Backoff,
  { after, signal, silenceTimeoutMs = 5 * overviewHeartbeatMs }: OverviewFollowOptions,
): AsyncGenerator<OverviewFrame> {
  let position = after;
  while (!signal.aborted) {
    const query = position === undefined || position === "" ? "" : `?after=${encodeURIComponent(position)}`;
    const closing = new AbortController();
    const closed = AbortSignal.any([signal, closing.signal]);
    const stream = transport.open(`${routes.overview.path}${query}`, closed);
    const messages = stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { value, done } = await nextBefore(silenceTimeoutMs, messages);
        if (done === true) return;
        const message = JSON.parse(value) as OverviewMessage;
        if ("problem" in message) throw toStreamError(message.problem);
        position = message.overview.position;
        // A service that accepts connections and cannot read its sessions must not extend the time limit.
        if (message.overview.caughtUp) backoff.reset();
        yield message.overview;
      }
    } catch (error) {
      await backoff.waitAfter(error, signal);
    } finally {
      closing.abort();
    }
  }
}

async function nextBefore(milliseconds: number, messages: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    silence.reject(new ConnectionLost(`The service has sent nothing for ${milliseconds / 1000} seconds.`));
  }, milliseconds);
  try {
    const next = messages.next();
    next.catch(() => {}); // after the time, its error does not matter
    return await Promise.race([next, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
