import { Listening, type ListeningOptions } from "./listening.ts";

/** Hands every item to every listener, in order. Each keeps its own queue; one that is too slow is let go as behind. */
export class Broadcast<Item> {
  readonly #listeners = new Set<Listening<Item>>();
  #ending: { readonly error: unknown } | undefined;

  publish(item: Item): void {
    for (const listener of this.#listeners) listener.push(item);
  }

  /** No more items will come; with an error, listeners throw it after what they have queued. */
  end(error?: unknown): void {
    if (this.#ending !== undefined) return;
    this.#ending = { error };
    for (const listener of this.#listeners) listener.end(error);
  }

  /** Listens from this moment on, not from the first `next`. */
  listen(options: ListeningOptions = {}): Listening<Item> {
    const listener = new Listening<Item>(options, (one) => this.#listeners.delete(one));
    this.#listeners.add(listener);
    if (this.#ending !== undefined) listener.end(this.#ending.error);
    return listener;
  }
}
