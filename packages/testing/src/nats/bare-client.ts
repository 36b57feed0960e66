import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** The NATS client without Fairlead's log, as the measure of what is possible. */
export class BareClient {
  readonly #client: JetStreamClient;

  constructor(connection: NatsConnection) {
    this.#client = jetstream(connection);
  }

  /**
   * Appends a message if the last one of the subject has the expected sequence. Returns the sequence that the next append
   * must expect. Servers refuse a valid message now and then. Then it is the same one again, without a look at the stream.
   */
  async append(
    subject: string,
    payload: Uint8Array,
    { id, expected }: { readonly id: string; readonly expected: number },
  ): Promise<number> {
    const options = { msgID: id, expect: { lastSubjectSequence: expected } };
    const acknowledgment = await this.#client.publish(subject, payload, options).catch(() => undefined);
    return acknowledgment?.seq ?? expected;
  }

  /** Returns the content of a stream's last message. */
  async readLast(stream: string): Promise<Uint8Array> {
    const { streams } = await this.#client.jetstreamManager();
    const { state } = await streams.info(stream);
    return (await streams.getMessage(stream, { seq: state.last_seq }))?.data ?? new Uint8Array();
  }
}
