import { AckPolicy, DeliverPolicy, jetstream, type JsMsg } from "@nats-io/jetstream";
import type { MessageHeader } from "./stored-message.ts";
import { forgetHeader, type StreamStore } from "./stream-store.ts";

/** The newest message of a session, without its content. */
export interface NewestMessage {
  readonly session: string;
  readonly sequence: number;
  /** When the stream's leader stored the message, in nanoseconds since 1970. It orders sessions of different streams. */
  readonly time: number;
}

const fetchSize = 1_000;
const fetchTimeout = 2_000;
// With more messages than this since a position, the last message of every session is cheaper to list.
const maxListed = 50_000;
const inactiveNanoseconds = 10_000_000_000;

/** Lists the sessions of a stream that have a message after a sequence, up to a sequence that the leader has named. */
export async function listActivity(
  store: StreamStore,
  partition: number,
  after: number,
  upTo: number,
): Promise<NewestMessage[]> {
  if (upTo <= after) return [];
  const newest = new Map<string, MessageHeader>();
  let seen = after;
  for await (const message of listMessages(store, partition, after, upTo)) {
    newest.set(message.subject, message);
    seen = Math.max(seen, message.sequence);
  }
  // The consumer may be on a replica that lags behind. What it has is complete up to the last message that it delivered.
  while (seen < upTo) {
    const next = await store.readNextHeader(partition, seen + 1);
    if (next === undefined) break;
    newest.set(next.subject, next);
    seen = next.sequence;
  }
  return [...newest.values()]
    .filter(({ isForget, sequence }) => !isForget && sequence > after)
    .map(({ subject, sequence, time }) => ({ session: store.layout.sessionOf(subject), sequence, time }));
}

/** Yields the headers of messages after a sequence. The last message of each session is among them. */
async function* listMessages(
  store: StreamStore,
  partition: number,
  after: number,
  upTo: number,
): AsyncGenerator<MessageHeader, void> {
  const stream = store.layout.streamName(partition);
  const consumer = await store.retry("list sessions", async () => {
    const client = jetstream(store.connection);
    const management = await client.jetstreamManager(false);
    const start =
      after > 0 && upTo - after <= maxListed
        ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 }
        : { deliver_policy: DeliverPolicy.LastPerSubject };
    const { name, num_pending } = await management.consumers.add(stream, {
      ...start,
      filter_subject: store.layout.allSubjects(partition),
      ack_policy: AckPolicy.None,
      headers_only: true,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: inactiveNanoseconds,
    });
    const pull = await client.consumers.get(stream, name);
    return { pull, pending: num_pending, delete: () => management.consumers.delete(stream, name) };
  });
  try {
    for (let pending = consumer.pending; pending > 0;) {
      const options = { max_messages: Math.min(pending, fetchSize), expires: fetchTimeout };
      const page = await store.retry("list sessions", async () =>
        Array.fromAsync(await consumer.pull.fetch(options), toHeader),
      );
      // The rest was removed meanwhile, or the consumer is gone: the caller asks the leader.
      if (page.length === 0) return;
      yield* page;
      pending = page.at(-1)?.pending ?? 0;
    }
  } finally {
    // A consumer that nobody uses is removed by the server in any case.
    await consumer.delete().catch(() => false);
  }
}

function toHeader(message: JsMsg): MessageHeader & { readonly pending: number } {
  const { timestampNanos, pending } = message.info;
  const isForget = message.headers?.has(forgetHeader) ?? false;
  return { subject: message.subject, sequence: message.seq, time: timestampNanos, isForget, pending };
}
