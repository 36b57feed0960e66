import type { SessionEnd } from "./session-end.ts";

// More than a host drives at the same time. A session that is dropped costs one read at its next append.
const maxSessions = 10_000;

/** The ends of the sessions that this log appended to last, so that an owner's append needs no read. */
export class SessionEnds {
  readonly #ends = new Map<string, SessionEnd>();

  get(session: string): SessionEnd | undefined {
    return this.#ends.get(session);
  }

  set(session: string, end: SessionEnd): void {
    // Deleting first moves the session to the end of the map's order.
    this.#ends.delete(session);
    this.#ends.set(session, end);
    if (this.#ends.size <= maxSessions) return;
    for (const oldest of this.#ends.keys()) {
      this.#ends.delete(oldest);
      return;
    }
  }

  delete(session: string): void {
    this.#ends.delete(session);
  }
}
