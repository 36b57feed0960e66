import type { Event } from "@fairlead/contract";
import type { OutlineStore } from "./outline-files.ts";
import { OutlineFold, type SessionOutline } from "./outline-fold.ts";

export interface OutlineReaderOptions {
  /** Reads the events of the session after a sequence. */
  readonly events: (after: number) => AsyncIterable<Event>;
  readonly store: OutlineStore | undefined;
}

/** So many events are read again at least, rather than written with each of them. */
const minUnkeptEvents = 1000;
/** The number of events for which a turn or a file is written once: about 100 bytes are written for each event. */
const eventsPerEntry = 4;

/** Keeps the outline of one session up to date, from what it had kept, the journal, and events as they are appended. */
export class OutlineReader {
  readonly #session: string;
  readonly #options: OutlineReaderOptions;
  #fold: OutlineFold | undefined;
  /** The newest event in the outline that was kept. */
  #keptUpTo = 0;
  /** Updates run one after another: two at once would both add the same events. */
  #update: Promise<void> = Promise.resolve();
  #runningUpdates = 0;

  constructor(session: string, options: OutlineReaderOptions) {
    this.#session = session;
    this.#options = options;
  }

  get size(): number {
    return this.#fold?.size ?? 0;
  }

  async read<Result>(pick: (outline: SessionOutline) => Result): Promise<Result> {
    this.#runningUpdates += 1;
    const result = this.#update.then(async () => {
      try {
        const fold = await this.#readNewEvents((this.#fold ??= await this.#load()));
        await this.#keep(fold);
        return pick(fold);
      } finally {
        this.#runningUpdates -= 1;
      }
    });
    this.#update = result.then(
      () => {},
      () => {},
    );
    return await result;
  }

  /** Adds an event that was just appended. Returns whether the outline is still up to date, or an update reads the event. */
  add(event: Event): boolean {
    const { sequence } = event;
    if (this.#runningUpdates > 1) return true;
    // An update that runs may have read past the event, or have looked for the last time.
    if (this.#runningUpdates === 1) return false;
    if (sequence === 1) this.#fold ??= new OutlineFold();
    if (this.#fold === undefined || sequence > this.#fold.last + 1) return false;
    if (sequence === this.#fold.last + 1) this.#fold.add(event);
    return !this.#isKeepingDue(this.#fold);
  }

  async #load(): Promise<OutlineFold> {
    const content = await this.#options.store?.load(this.#session);
    const fold = new OutlineFold(content ?? undefined);
    if (!(await this.#isOfJournal(fold))) return new OutlineFold();
    this.#keptUpTo = fold.last;
    return fold;
  }

  /** The journal may have been replaced by an older one since the outline was kept. */
  async #isOfJournal({ last, lastId }: OutlineFold): Promise<boolean> {
    if (last === 0) return true;
    for await (const { id } of this.#options.events(last - 1)) return id === lastId;
    return false;
  }

  async #readNewEvents(fold: OutlineFold): Promise<OutlineFold> {
    for await (const event of this.#options.events(fold.last)) fold.add(event);
    return fold;
  }

  #isKeepingDue({ last, size }: OutlineFold): boolean {
    if (this.#options.store === undefined) return false;
    return last - this.#keptUpTo >= Math.max(minUnkeptEvents, eventsPerEntry * size);
  }

  async #keep(fold: OutlineFold): Promise<void> {
    if (!this.#isKeepingDue(fold)) return;
    this.#keptUpTo = fold.last;
    await this.#options.store?.save(this.#session, fold.content);
  }
}
