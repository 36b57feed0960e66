/** Hands every item to every listener, in order. A listener that is slow keeps its own queue; none is skipped. */
export class Broadcast<Item> {
  readonly #listeners = new Set<Listener<Item>>();
  #ending: { readonly error: unknown } | undefined;

  publish(item: Item): void {
    for (const listener of this.#listeners) listener.push(item);
  }

  /** No more items will come; with an error, listeners throw it after what they have queued. */
  end(error?: unknown): void {
    if (this.#ending !== undefined) return;
    this.#ending = { error };
    for (const listener of this.#listeners) listener.wake();
  }

  /** Listens from this moment on, not from the first `next`. */
  listen(): AsyncIterableIterator<Item> & Disposable {
    const listener = new Listener<Item>();
    this.#listeners.add(listener);
    const forget = (): void => void this.#listeners.delete(listener);
    const items = this.#items(listener, forget);
    return Object.assign(items, { [Symbol.dispose]: forget });
  }

  async *#items(listener: Listener<Item>, forget: () => void): AsyncGenerator<Item> {
    try {
      for (;;) {
        yield* listener.take();
        if (this.#ending === undefined) await listener.more();
        else if (listener.empty) break;
      }
    } finally {
      forget();
    }
    if (this.#ending.error !== undefined) throw this.#ending.error;
  }
}

class Listener<Item> {
  #queue: Item[] = [];
  #news = Promise.withResolvers<void>();

  get empty(): boolean {
    return this.#queue.length === 0;
  }

  push(item: Item): void {
    this.#queue.push(item);
    this.wake();
  }

  wake(): void {
    this.#news.resolve();
  }

  take(): Item[] {
    const items = this.#queue;
    this.#queue = [];
    this.#news = Promise.withResolvers();
    return items;
  }

  more(): Promise<void> {
    return this.empty ? this.#news.promise : Promise.resolve();
  }
}
