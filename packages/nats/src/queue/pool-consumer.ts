import { AckPolicy, DeliverPolicy, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { QueueLayout } from "./queue-layout.ts";
import type { StreamRequests } from "./stream-requests.ts";

const nanosecondsPerMs = 1_000_000;
const consumerNotFoundCode = 10014;
/** One created with another lease. */
const consumerExistsCodes = [10013, 10105, 10148];
/** The default of 512 would refuse the requests of takers of a large fleet. */
const maxWaitingTakers = 100_000;

/**
 * Creates the consumer of a pool if there is none. Returns its lease in milliseconds, which is that of the first taker ever:
 * all takers of a pool must agree on it.
 */
export async function openPoolConsumer(
  requests: StreamRequests,
  layout: QueueLayout,
  { pool, lease, signal }: { readonly pool: string; readonly lease: number; readonly signal: AbortSignal },
): Promise<number> {
  const name = layout.consumerOf(pool);
  const attempt = async (): Promise<number> => {
    const { consumers } = await jetstreamManager(requests.connection, { checkAPI: false, timeout: 5_000 });
    const find = async (): Promise<number> => {
      const { config } = await consumers.info(layout.jobs, name);
      return (config.ack_wait ?? 0) / nanosecondsPerMs;
    };
    try {
      return await find();
    } catch (error) {
      if (!hasCode(error, [consumerNotFoundCode])) throw error;
    }
    try {
      await consumers.add(layout.jobs, {
        durable_name: name,
        filter_subject: layout.jobSubject(pool),
        deliver_policy: DeliverPolicy.All,
        ack_policy: AckPolicy.Explicit,
        ack_wait: lease * nanosecondsPerMs,
        max_deliver: -1,
        max_ack_pending: -1,
        max_waiting: maxWaitingTakers,
      });
      return lease;
    } catch (error) {
      if (!hasCode(error, consumerExistsCodes)) throw error;
      return await find();
    }
  };
  return await requests.retry("open a pool of the work queue", attempt, signal);
}

function hasCode(error: unknown, codes: readonly number[]): boolean {
  return error instanceof JetStreamApiError && codes.includes(error.code);
}
