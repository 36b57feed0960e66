import type { Fence, Frame } from "../event-log.ts";
import type { Claim, Journal } from "../ownership.ts";

export type Open = () => Promise<Journal>;
export type Reopen = (journal: Journal) => Promise<Journal>;

/** Somebody who has claimed a session and appends to it as an owner should: one frame after the other. */
export class Author {
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

  static async claim(journal: Journal, session: string, owner = "author"): Promise<Author> {
    return new Author(journal, session, owner, await journal.claim(session, owner));
  }

  /** What this author would append next. */
  next(...texts: readonly string[]): Frame {
    const { session, epoch, owner } = this;
    return { session, epoch, first: this.last + 1, events: texts.map((text) => Buffer.from(text)), owner };
  }

  async append(...texts: readonly string[]): Promise<void> {
    this.fence = await this.#journal.append(this.next(...texts), this.fence);
    this.last += texts.length;
  }
}

/** What is expected of a reader: the number of each event, and what it says. */
export function told(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) =>
    frame.events.map((event, index) => `${frame.first + index}: ${Buffer.from(event).toString()}`),
  );
}

/** The story that an author tells who appends the numbers from 1 to `last` as texts. */
export function counted(last: number, after = 0): string[] {
  return Array.from({ length: last - after }, (_, index) => `${after + index + 1}: ${after + index + 1}`);
}
