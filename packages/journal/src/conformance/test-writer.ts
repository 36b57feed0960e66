import type { Fence, EventBatch } from "../event-log.ts";
import type { Claim, Journal } from "../ownership.ts";

export type OpenJournal = () => Promise<Journal>;
export type ReopenJournal = (journal: Journal) => Promise<Journal>;

/** The owner of a claimed session, which appends one batch after the other. */
export class TestWriter {
  readonly #journal: Journal;
  readonly session: string;
  readonly owner: string;
  readonly epoch: number;
  fence: Fence;
  last: number;

  constructor(journal: Journal, session: string, owner: string, claim: Claim) {
    this.#journal = journal;
    this.session = session;
    this.owner = owner;
    this.epoch = claim.epoch;
    this.fence = claim.fence;
    this.last = claim.last;
  }

  static async claim(journal: Journal, session: string, owner = "writer"): Promise<TestWriter> {
    return new TestWriter(journal, session, owner, await journal.claim(session, owner));
  }

  /** Returns the batch that this writer would append next. */
  nextBatch(...texts: readonly string[]): EventBatch {
    const { session, epoch, owner } = this;
    return { session, epoch, first: this.last + 1, events: texts.map((text) => Buffer.from(text)), owner };
  }

  async append(...texts: readonly string[]): Promise<void> {
    this.fence = await this.#journal.append(this.nextBatch(...texts), this.fence);
    this.last += texts.length;
  }
}

/** Formats each event as its sequence and its text. */
export function formatEvents(batches: readonly EventBatch[]): string[] {
  return batches.flatMap((batch) =>
    batch.events.map((event, index) => `${batch.first + index}: ${Buffer.from(event).toString()}`),
  );
}

/** Formats the events of a writer that appends each sequence up to `last` as text, starting after `after`. */
export function numberedEvents(last: number, after = 0): string[] {
  return Array.from({ length: last - after }, (_, index) => `${after + index + 1}: ${after + index + 1}`);
}
