import type { Subscription } from "@nats-io/transport-node";
import { readSessionEnd, toSessionEnd, type SessionEnd } from "./session-end.ts";
import type { StoredMessage } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

// How long a claim waits for a newer message than the one that it found at the end.
const liveTimeout = 5;

/**
 * The newest end of a session for a claim that lost to an append. A busy owner sends its next append as soon as it has the
 * acknowledgment of the last. A claim that first asks the leader is too late most of the time. The live subject delivers
 * each frame as early as the owner gets its acknowledgment, so that claim and append have equal chances in each round.
 */
export class LiveEnd implements Disposable {
  readonly #store: StreamStore;
  readonly #session: string;
  #subscription: Subscription | undefined;
  #newest: StoredMessage | undefined;
  #wake: () => void = () => {};

  constructor(store: StreamStore, session: string) {
    this.#store = store;
    this.#session = session;
  }

  /** Returns an end that is newer than `before`. `last` is the message that was found at the end, if one is known. */
  async next(before: SessionEnd, last: StoredMessage | undefined): Promise<SessionEnd> {
    const isFirst = this.#subscription === undefined;
    this.#subscribe();
    const known = last?.sequence ?? before.head;
    // The next message of a busy owner comes at once. From an idle one none comes, and the found message is the newest.
    if (!isFirst && this.#newestAfter(known) === undefined) await this.#waitForMessage();
    const newest = this.#newestAfter(known) ?? last;
    const end = newest && toSessionEnd(this.#session, newest, before);
    return end ?? (await readSessionEnd(this.#store, this.#session));
  }

  [Symbol.dispose](): void {
    this.#subscription?.unsubscribe();
  }

  #subscribe(): void {
    if (this.#subscription !== undefined) return;
    const subject = this.#store.layout.liveSubjectOf(this.#session);
    this.#subscription = this.#store.subscribe("claim a session", subject, (error, message) => {
      if (error !== null) return;
      const sequence = Number(message.headers?.get("Nats-Sequence"));
      this.#newest = { sequence, subject: message.subject, payload: message.data };
      this.#wake();
    });
  }

  #newestAfter(sequence: number): StoredMessage | undefined {
    return this.#newest !== undefined && this.#newest.sequence > sequence ? this.#newest : undefined;
  }

  async #waitForMessage(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, liveTimeout);
    await promise;
    clearTimeout(timer);
  }
}
