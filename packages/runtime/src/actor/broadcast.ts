import { Subscription, type SubscriptionOptions } from "./subscription.ts";

/** Publishes every item to every subscription, in order. Each has its own queue; one that exceeds its limit is closed. */
export class Broadcast<Item> {
  readonly #subscriptions = new Set<Subscription<Item>>();
  #ending: { readonly error: unknown } | undefined;

  publish(item: Item): void {
    for (const subscription of this.#subscriptions) subscription.push(item);
  }

  /** Ends all subscriptions. With an error, each throws it to its reader after the queued items. */
  end(error?: unknown): void {
    if (this.#ending !== undefined) return;
    this.#ending = { error };
    for (const subscription of this.#subscriptions) subscription.end(error);
  }

  /** Subscribes from this call on, not from the first `next`. */
  subscribe(options: SubscriptionOptions<Item> = {}): Subscription<Item> {
    const subscription = new Subscription<Item>(options, (closed) => this.#subscriptions.delete(closed));
    this.#subscriptions.add(subscription);
    if (this.#ending !== undefined) subscription.end(this.#ending.error);
    return subscription;
  }
}
