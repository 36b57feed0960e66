import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createUnavailableError } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

// How long an owner waits for a claim that was announced. Longer than an announced claim needs on a busy machine, and
// short enough that an owner whose rival died meanwhile loses no time that a person would notice.
const holdTime = 100;

/**
 * Tells owners that a claim comes. An owner that appends without a pause wins about every second round against a claim,
 * so that a claim could lose many times. An owner that hears of the claim waits before its next append. The log does not
 * rely on it: an owner that does not hear it is fenced a little later.
 */
export class ClaimAnnouncements {
  readonly #store: StreamStore;
  readonly #id = randomUUID();
  /** By session: when its owner may append again. */
  readonly #holds = new Map<string, number>();
  #isListening = false;

  constructor(store: StreamStore) {
    this.#store = store;
  }

  /** Asks the owner of a session, in any process, to wait. */
  announce(session: string): void {
    try {
      this.#store.connection.publish(this.#store.layout.claimingSubjectOf(session), this.#id);
    } catch (error) {
      throw createUnavailableError("claim a session", error);
    }
  }

  /** Starts to listen for announcements. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { layout, closed } = this.#store;
    const subscription = this.#store.subscribe("append", layout.allClaimingSubjects, (error, message) => {
      if (error !== null || message.string() === this.#id) return;
      this.#holds.set(layout.sessionOf(message.subject), performance.now() + holdTime);
    });
    closed.addEventListener("abort", () => subscription.unsubscribe());
    // Most announcements are about sessions of other owners, so that they are never waited for.
    const timer = setInterval(() => this.#removeOld(), 10 * holdTime);
    timer.unref();
    closed.addEventListener("abort", () => clearInterval(timer));
  }

  /** Waits if a claim of the session was announced. */
  async giveWay(session: string): Promise<void> {
    const until = this.#holds.get(session);
    if (until === undefined) return;
    this.#holds.delete(session);
    const wait = until - performance.now();
    if (wait > 0) await delay(wait);
  }

  #removeOld(): void {
    const now = performance.now();
    for (const [session, until] of this.#holds) if (until < now) this.#holds.delete(session);
  }
}
