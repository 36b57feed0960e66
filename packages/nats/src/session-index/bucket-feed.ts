import { DeliverPolicy, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { FeedConsumer, maxSilenceMs, type FeedEntry } from "./feed-consumer.ts";
import { bucketStream } from "./index-buckets.ts";

/** Receives the values of a bucket, each key's newest, in the order of their revisions. */
export interface FeedReceiver {
  /** A list of all keys begins, because none was read yet or because the bucket was replaced. */
  startList(): void;
  /** `data` is undefined for a removed key. */
  receive(key: string, revision: number, data: Uint8Array | undefined): void;
  /** The list has ended. Keys that it did not have are gone. */
  endList(): void;
}

export interface BucketFeedOptions {
  readonly connection: NatsConnection;
  readonly bucket: string;
  readonly receiver: FeedReceiver;
}

const retryMs = 250;
const checkMs = 500;

/**
 * Follows all changes of a bucket through a consumer without acknowledgments. After a lost message or connection it continues
 * from the last revision. The client's own ordered consumer needs up to a minute to notice that.
 */
export class BucketFeed implements AsyncDisposable {
  readonly #options: BucketFeedOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #created = "";
  #revision = 0;
  #target = Infinity;
  #isListing = false;
  #currentAt = -Infinity;
  #heardAt = performance.now();
  #failure: unknown;

  constructor(options: BucketFeedOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** The last revision that was received. */
  get revision(): number {
    return this.#revision;
  }

  /** When servers last said something while the feed had all that they had, as `performance.now`. */
  get currentAt(): number {
    return this.#currentAt;
  }

  /** When servers last sent anything. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Why servers could not be asked, since they last answered. */
  get failure(): unknown {
    return this.#failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        this.#failure = error;
      }
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Follows until messages may have been lost. */
  async #follow(closing: AbortSignal): Promise<void> {
    const { connection, bucket, receiver } = this.#options;
    const stream = bucketStream(bucket);
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2_000 });
    const { created, state } = await manager.streams.info(stream);
    if (closing.aborted) return;
    // A bucket that was replaced has other revisions.
    if (created !== this.#created || state.last_seq < this.#revision) {
      this.#created = created;
      this.#revision = 0;
      this.#isListing = true;
      receiver.startList();
    }
    this.#target = state.messages === 0 ? 0 : state.last_seq;
    const ended = Promise.withResolvers<void>();
    const end = (): void => ended.resolve();
    const consumer = new FeedConsumer(connection, bucket, { receive: (...entry) => this.#receive(...entry), end });
    const timer = setInterval(() => {
      if (performance.now() - consumer.heardAt > maxSilenceMs) end();
    }, checkMs).unref();
    closing.addEventListener("abort", end);
    try {
      const { name } = await manager.consumers.add(stream, {
        ...consumer.config,
        ...(this.#isListing && this.#revision === 0
          ? { deliver_policy: DeliverPolicy.LastPerSubject }
          : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: this.#revision + 1 }),
      });
      this.#failure = undefined;
      this.#checkCurrent();
      await ended.promise;
      // Without waiting: the servers may be gone, and then they remove it themselves.
      if (!connection.isClosed()) void manager.consumers.delete(stream, name).catch(() => {});
    } finally {
      closing.removeEventListener("abort", end);
      clearInterval(timer);
      consumer[Symbol.dispose]();
    }
  }

  #receive(entry?: FeedEntry): void {
    this.#heardAt = performance.now();
    if (entry !== undefined) {
      this.#revision = entry.revision;
      this.#options.receiver.receive(entry.key, entry.revision, entry.data);
    }
    // A server that is idle has sent everything, also if the newest message was removed by hand.
    else this.#target = Math.min(this.#target, this.#revision);
    this.#checkCurrent();
  }

  #checkCurrent(): void {
    if (this.#revision < this.#target) return;
    this.#currentAt = performance.now();
    if (!this.#isListing) return;
    this.#isListing = false;
    this.#options.receiver.endList();
  }
}
