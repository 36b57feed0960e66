interface Waiter {
  readonly condition: () => boolean;
  readonly result: PromiseWithResolvers<void>;
}

/**
 * Callers that wait until the session is in a state. Not every change of the state publishes an event, so an actor checks
 * them after each batch of records. Without callers, a check costs nothing.
 */
export class StateWaiters {
  readonly #waiters = new Set<Waiter>();
  #ending: { readonly error: unknown } | undefined;

  /** Resolves when the condition is true, when the signal aborts, or when the actor ends without an error. */
  async waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    if (condition() || signal?.aborted) return;
    const waiter: Waiter = { condition, result: Promise.withResolvers() };
    this.#waiters.add(waiter);
    if (this.#ending !== undefined) this.end(this.#ending.error);
    signal?.addEventListener("abort", () => waiter.result.resolve(), { once: true });
    try {
      await waiter.result.promise;
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  check(): void {
    for (const { condition, result } of this.#waiters) if (condition()) result.resolve();
  }

  /** Ends all waits, also later ones. An error is thrown to the callers. */
  end(error: unknown): void {
    this.#ending = { error };
    for (const { result } of this.#waiters) {
      if (error === undefined) result.resolve();
      else result.reject(error);
    }
  }
}
