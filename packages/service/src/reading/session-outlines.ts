import type { TurnPage, TurnQuery } from "@fairlead/api";
import { addToOutline, emptyTurnOutline, type Event, type TurnSummary } from "@fairlead/contract";

export interface SessionOutlinesOptions {
  /** Reads the events of a session after a sequence. */
  readonly events: (session: string, after: number) => AsyncIterable<Event>;
  /** The maximum number of turns in memory, of all sessions. One session may have more. Default: 50,000. */
  readonly maxTurns?: number;
}

/** The turns of a session, in their order. */
export interface SessionOutline {
  readonly turns: readonly TurnSummary[];
  /** The sequence of the newest event in it. */
  readonly last: number;
}

const defaultPageSize = 100;
const defaultMaxTurns = 50_000;
/** Each outline costs something, also if it has no turns. */
const sessionCost = 20;

/**
 * The outlines of the sessions that were read last. The first read of a session reads all its events, and later ones only the
 * new events.
 */
export class SessionOutlines {
  readonly #options: SessionOutlinesOptions;
  /** By session, the least recently read first. */
  readonly #folds = new Map<string, OutlineFold>();

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
    const fold = this.#folds.get(session) ?? new OutlineFold((after) => this.#options.events(session, after));
    this.#folds.delete(session);
    this.#folds.set(session, fold);
    try {
      return await fold.read(pick);
    } catch (error) {
      // The session may have been forgotten.
      this.#folds.delete(session);
      throw error;
    } finally {
      this.#removeOldest();
    }
  }

  #removeOldest(): void {
    const { maxTurns = defaultMaxTurns } = this.#options;
    let cost = 0;
    for (const [session, { size }] of [...this.#folds].toReversed()) {
      cost += size + sessionCost;
      // Also without the newest one, several outlines of very long sessions would fill the memory.
      if (cost > maxTurns && cost > size + sessionCost) this.#folds.delete(session);
    }
  }
}

/** The outline of one session, as far as its events were read. */
class OutlineFold {
  readonly #events: (after: number) => AsyncIterable<Event>;
  readonly #turns: TurnSummary[] = [];
  #outline = emptyTurnOutline;
  /** Updates run one after another: two at once would both add the same events. */
  #update: Promise<void> = Promise.resolve();

  constructor(events: (after: number) => AsyncIterable<Event>) {
    this.#events = events;
  }

  get size(): number {
    return this.#turns.length;
  }

  async read<Result>(pick: (outline: SessionOutline) => Result): Promise<Result> {
    const result = this.#update.then(async () => {
      await this.#readNewEvents();
      return pick({ turns: this.#turns, last: this.#outline.last });
    });
    this.#update = result.then(
      () => {},
      () => {},
    );
    return await result;
  }

  async #readNewEvents(): Promise<void> {
    for await (const event of this.#events(this.#outline.last)) {
      this.#outline = addToOutline(this.#outline, event);
      const { turn } = this.#outline;
      if (turn !== null) this.#turns[turn.number - 1] = turn;
    }
  }
}
