/** Queue limit for a client's subscription. It must be larger than a batch of the spool, however small its records are. */
export const clientQueueLimit = 4096;

export interface SubscriptionOptions<Item> {
  /** Number of items that may be queued before the subscription is closed as behind. Unlimited by default. */
  readonly maxQueued?: number;
  /** Which items to queue. All by default. */
  readonly accepts?: (item: Item) => boolean;
  /** Ends the subscription without an error when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** One reader's queue of a broadcast. A queue that reaches its limit is closed, so that a slow reader costs no memory. */
export class Subscription<Item> implements AsyncIterable<Item>, Disposable {
  readonly #maxQueued: number;
  readonly #accepts: (item: Item) => boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: (self: Subscription<Item>) => void;
  #queue: Item[] = [];
  #wakeup = Promise.withResolvers<void>();
  #ending: { readonly error: unknown } | undefined;
  #isBehind = false;

  constructor(
    { maxQueued = Infinity, accepts = () => true, signal }: SubscriptionOptions<Item>,
    unsubscribe: (self: Subscription<Item>) => void,
  ) {
    this.#maxQueued = maxQueued;
    this.#accepts = accepts;
    this.#signal = signal;
    this.#unsubscribe = unsubscribe;
    signal?.addEventListener("abort", this.#close);
    if (signal?.aborted) this.#close();
  }

  /** Whether the subscription was closed because its queue was full. The queued items are discarded. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  push(item: Item): void {
    if (this.#ending !== undefined) return this.#unsubscribe(this);
    if (!this.#accepts(item)) return;
    if (this.#queue.length < this.#maxQueued) this.#queue.push(item);
    else this.#closeAsBehind();
    this.#wakeup.resolve();
  }

  /** Ends the subscription. An error is thrown to the reader after the queued items. */
  end(error: unknown): void {
    this.#ending ??= { error };
    this.#wakeup.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    try {
      while (this.#queue.length > 0 || this.#ending === undefined) {
        this.#wakeup = Promise.withResolvers();
        if (this.#queue.length === 0) await this.#wakeup.promise;
        const items = this.#queue;
        this.#queue = [];
        for (const item of items) yield item;
      }
    } finally {
      this[Symbol.dispose]();
    }
    if (this.#ending.error !== undefined) throw this.#ending.error;
  }

  [Symbol.dispose](): void {
    this.#signal?.removeEventListener("abort", this.#close);
    this.#unsubscribe(this);
  }

  #closeAsBehind(): void {
    this.#isBehind = true;
    this.#close();
  }

  readonly #close = (): void => {
    this.#queue = [];
    this.#ending = { error: undefined };
    this.#wakeup.resolve();
    this.#unsubscribe(this);
  };
}
