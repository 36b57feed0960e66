import { AckPolicy, type ConsumerConfig } from "@nats-io/jetstream";
import { createInbox, nanos, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";

const heartbeatMs = 1_000;
/** A consumer that was silent for so long is gone, or its server is. */
export const maxSilenceMs = 3 * heartbeatMs;
/** Servers remove the consumer of a process that has disappeared after this time. */
const inactiveMs = 30_000;

export interface FeedEntry {
  readonly key: string;
  readonly revision: number;
  readonly data: Uint8Array | undefined;
}

interface FeedCallbacks {
  /** Called for each message in order, and without an entry when the server says that it has nothing to send. */
  readonly receive: (entry?: FeedEntry) => void;
  /** Called when a message was lost, or the consumer is gone. */
  readonly end: () => void;
}

/** The subscription that one consumer delivers to. */
export class FeedConsumer implements Disposable {
  readonly config: Partial<ConsumerConfig>;
  readonly #connection: NatsConnection;
  readonly #callbacks: FeedCallbacks;
  readonly #subscription: Subscription;
  readonly #keyStart: number;
  #heardAt = performance.now();
  #delivered = 0;

  constructor(connection: NatsConnection, bucket: string, callbacks: FeedCallbacks) {
    this.#connection = connection;
    this.#callbacks = callbacks;
    const inbox = createInbox();
    const prefix = `$KV.${bucket}.`;
    this.#keyStart = prefix.length;
    this.config = {
      deliver_subject: inbox,
      filter_subject: `${prefix}>`,
      ack_policy: AckPolicy.None,
      flow_control: true,
      idle_heartbeat: nanos(heartbeatMs),
      inactive_threshold: nanos(inactiveMs),
      mem_storage: true,
      num_replicas: 1,
    };
    this.#subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error === null) this.#receive(message);
        else callbacks.end();
      },
    });
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  [Symbol.dispose](): void {
    this.#subscription.unsubscribe();
  }

  #receive(message: Msg): void {
    this.#heardAt = performance.now();
    const { headers, reply = "", subject, data } = message;
    if (!reply.startsWith("$JS.ACK.")) return this.#receiveStatus(message);
    // The end of the tokens is the same in all versions of the subject: stream sequence, number of the delivery.
    const tokens = reply.split(".");
    const start = tokens.length === 9 ? 5 : 7;
    const [revision = 0, delivered = 0] = tokens.slice(start, start + 2).map(Number);
    if (delivered !== this.#delivered + 1) return this.#callbacks.end();
    this.#delivered = delivered;
    const isRemoval = headers?.has("KV-Operation") === true || headers?.has("Nats-Marker-Reason") === true;
    const key = subject.slice(this.#keyStart);
    this.#callbacks.receive({ key, revision, data: isRemoval ? undefined : data });
  }

  #receiveStatus({ headers, reply }: Msg): void {
    // 409: the consumer was deleted.
    if (headers?.code !== 100) return this.#callbacks.end();
    if (reply) this.#connection.publish(reply); // flow control
    const stalled = headers.get("Nats-Consumer-Stalled");
    if (stalled) this.#connection.publish(stalled);
    const delivered = headers.get("Nats-Last-Consumer");
    if (delivered !== "" && Number(delivered) !== this.#delivered) return this.#callbacks.end();
    if (delivered !== "" && !stalled) this.#callbacks.receive();
  }
}
