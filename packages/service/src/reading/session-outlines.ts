import type { TurnPage, TurnQuery } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { OutlineReader } from "./outline-reader.ts";
import type { SessionOutline } from "./outline-fold.ts";
import type { OutlineStore } from "./outline-files.ts";

export interface SessionOutlinesOptions {
  /** Reads the events of a session after a sequence. */
  readonly events: (session: string, after: number) => AsyncIterable<Event>;
  /** Keeps outlines, so that another process or a later one need not read all events. Default: none. */
  readonly store?: OutlineStore;
  /** The maximum number of turns and files in memory, of all sessions. One session may have more. Default: 50,000. */
  readonly maxTurns?: number;
}

const defaultPageSize = 100;
const defaultMaxTurns = 50_000;
/** Each outline costs something, also if it has no turns. */
const sessionCost = 20;

/**
 * The outlines of the sessions that were read or driven last. The first read of a session that was never kept reads all its
 * events, and later ones only the new events.
 */
export class SessionOutlines {
  readonly #options: SessionOutlinesOptions;
  /** By session, the least recently used first. */
  readonly #readers = new Map<string, OutlineReader>();

  constructor(options: SessionOutlinesOptions) {
    this.#options = options;
  }

  /** Returns a page of the turns. */
  async page(session: string, { before = Infinity, limit = defaultPageSize }: TurnQuery = {}): Promise<TurnPage> {
    return await this.read(session, ({ turns, last }) => {
      const end = Math.min(turns.length, before - 1);
      const start = Math.max(0, end - limit);
      return { turns: turns.slice(start, end), next: start === 0 ? null : start + 1, count: turns.length, last };
    });
  }

  /** Returns what `pick` takes of the outline, which has all events that the journal has now. It changes later. */
  async read<Result>(session: string, pick: (outline: SessionOutline) => Result): Promise<Result> {
    const reader = this.#use(session);
    try {
      return await reader.read(pick);
    } catch (error) {
      // The session may have been forgotten.
      if (this.#readers.get(session) === reader) this.#readers.delete(session);
      throw error;
    } finally {
      this.#removeOldest();
    }
  }

  /** Adds an event that this process has appended, so that a reader of a long session need not wait. */
  add(event: Event): void {
    const { session, sequence, body } = event;
    const known = this.#readers.get(session);
    // Other outlines were removed from memory, and are loaded once a turn.
    if (known === undefined && sequence !== 1 && body.type !== "turn.started") return;
    const isUpToDate = (known ?? this.#use(session)).add(event);
    if (known === undefined) this.#removeOldest();
    if (isUpToDate) return;
    // Reported to the next reader.
    void this.read(session, () => {}).catch(() => {});
  }

  #use(session: string): OutlineReader {
    const { events, store } = this.#options;
    const reader =
      this.#readers.get(session) ?? new OutlineReader(session, { events: (after) => events(session, after), store });
    this.#readers.delete(session);
    this.#readers.set(session, reader);
    return reader;
  }

  #removeOldest(): void {
    const { maxTurns = defaultMaxTurns } = this.#options;
    let cost = 0;
    for (const [session, { size }] of [...this.#readers].toReversed()) {
      cost += size + sessionCost;
      // Also without the newest one, several outlines of very long sessions would fill the memory.
      if (cost > maxTurns && cost > size + sessionCost) this.#readers.delete(session);
    }
  }
}
