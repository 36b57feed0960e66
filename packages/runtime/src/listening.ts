export interface ListeningOptions {
  /** How many items may wait before the listener is behind; no bound unless told. */
  readonly cap?: number;
  /** Aborting ends the listening quietly. */
  readonly signal?: AbortSignal | undefined;
}

/** One listener and what waits for it. It never holds more than it may: one that is too slow is closed instead. */
export class Listening<Item> implements AsyncIterable<Item>, Disposable {
  readonly #cap: number;
  readonly #signal: AbortSignal | undefined;
  readonly #forget: (self: Listening<Item>) => void;
  #queue: Item[] = [];
  #news = Promise.withResolvers<void>();
  #ending: { readonly error: unknown } | undefined;
  #behind = false;

  constructor({ cap = Infinity, signal }: ListeningOptions, forget: (self: Listening<Item>) => void) {
    this.#cap = cap;
    this.#signal = signal;
    this.#forget = forget;
    signal?.addEventListener("abort", this.#close);
    if (signal?.aborted) this.#close();
  }

  /** Whether it ended because more came than it may keep: what waited has been dropped. */
  get behind(): boolean {
    return this.#behind;
  }

  push(item: Item): void {
    if (this.#ending !== undefined) return this.#forget(this);
    if (this.#queue.length < this.#cap) this.#queue.push(item);
    else this.#fallBehind();
    this.#news.resolve();
  }

  /** No more will come; an error is thrown to the reader after what waits. */
  end(error: unknown): void {
    this.#ending ??= { error };
    this.#news.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    try {
      while (this.#queue.length > 0 || this.#ending === undefined) {
        this.#news = Promise.withResolvers();
        if (this.#queue.length === 0) await this.#news.promise;
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
    this.#forget(this);
  }

  #fallBehind(): void {
    this.#behind = true;
    this.#close();
  }

  readonly #close = (): void => {
    this.#queue = [];
    this.#ending = { error: undefined };
    this.#news.resolve();
    this.#forget(this);
  };
}
