import type { Event } from "@fairlead/contract";
import { SessionProjection } from "./session-projection.ts";

/** The projections of all sessions. An update reads only the new events. */
export class SessionProjections {
  readonly #readEvents: (session: string, after: number) => AsyncIterable<Event>;
  readonly #projections = new Map<string, SessionProjection>();
  /** Pending updates, at most one per session, so that each event is counted once. */
  readonly #updates = new Map<string, Promise<SessionProjection>>();

  constructor(readEvents: (session: string, after: number) => AsyncIterable<Event>) {
    this.#readEvents = readEvents;
  }

  /** Returns the projection of a session with all events up to at least `lastSequence`. */
  async projectUpTo(session: string, lastSequence: number): Promise<SessionProjection> {
    for (;;) {
      const projection = this.#projections.get(session);
      if (projection !== undefined && projection.lastSequence >= lastSequence) return projection;
      // A pending update may have started before the event was appended. The next one then reads the rest.
      await (this.#updates.get(session) ?? this.#startUpdate(session));
    }
  }

  /** Returns the projection as far as it was read. */
  get(session: string): SessionProjection | undefined {
    return this.#projections.get(session);
  }

  /** Removes the projection of a forgotten session, so that a new session with the same id starts empty. */
  forget(session: string): void {
    this.#projections.delete(session);
  }

  #startUpdate(session: string): Promise<SessionProjection> {
    const update = this.#update(session).finally(() => this.#updates.delete(session));
    this.#updates.set(session, update);
    return update;
  }

  async #update(session: string): Promise<SessionProjection> {
    const projection = this.#projections.get(session) ?? new SessionProjection();
    this.#projections.set(session, projection);
    for await (const event of this.#readEvents(session, projection.lastSequence)) projection.add(event);
    return projection;
  }
}
