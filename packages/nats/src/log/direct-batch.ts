import type { Msg, NatsConnection } from "@nats-io/transport-node";
import type { StoredMessage } from "./stored-message.ts";

export interface DirectBatchRequest {
  /** The subject or the pattern of the messages. */
  readonly subject: string;
  /** The sequence in the stream from which to read. */
  readonly sequence: number;
  /** The maximum number of messages. */
  readonly count: number;
}

const maxBytes = 4 << 20;
const idleTimeout = 3_000;

/**
 * Reads messages of a stream through its direct interface, until the signal aborts, which it does when the connection
 * closes. The client's own function does not end then, so that a reader would wait without a limit.
 */
export async function readDirectBatch(
  connection: NatsConnection,
  request: DirectBatchRequest & { readonly stream: string; readonly reply: string },
  signal: AbortSignal,
): Promise<StoredMessage[]> {
  signal.throwIfAborted();
  const messages: StoredMessage[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<StoredMessage[]>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), idleTimeout);
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  const subscription = connection.subscribe(request.reply, {
    callback: (error, message) => {
      timer.refresh();
      if (error !== null) return reject(error);
      const code = message.headers?.code ?? 0;
      if (code === 0) return void messages.push(toStoredMessage(message));
      // 204 ends a batch, 404 says that there is no message.
      if (code === 204 || code === 404) resolve(messages);
      else reject(new Error(message.headers?.description || `status ${code}`));
    },
  });
  try {
    const { stream, subject, sequence, count } = request;
    const query = { seq: Math.max(1, sequence), next_by_subj: subject, batch: count, max_bytes: maxBytes };
    connection.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(query), { reply: request.reply });
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    subscription.unsubscribe();
  }
}

function toStoredMessage({ headers, data }: Msg): StoredMessage {
  return {
    sequence: Number(headers?.get("Nats-Sequence")),
    subject: headers?.get("Nats-Subject") ?? "",
    payload: data,
  };
}
