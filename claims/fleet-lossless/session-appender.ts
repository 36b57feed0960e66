import { FairleadError } from "@fairlead/contract";
import type { Claim, EventBatch, Journal } from "@fairlead/journal";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { writeEvent } from "./log-checker.ts";

const largestBatch = 40;
/** One of so many batches is written by a new owner. */
const batchesPerClaim = 300;

/** What happened to a batch, for the recording of a run that failed. */
export interface AppendRecord {
  readonly at: number;
  readonly session: string;
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
  readonly outcome: string;
}

/** Appends batches to one session until it is stopped, as the only writer. It never leaves an append undecided. */
export class SessionAppender {
  readonly session: string;
  /** The number of events that are known to be stored. */
  acknowledged = 0;
  /** The appends of which only the tail told whether they were stored, and those of them that were. */
  undecided = 0;
  foundStored = 0;
  /** The times that the log refused the writer although no other writer exists. */
  fenced = 0;
  readonly #journal: Journal;
  readonly #random: SeededRandom;
  readonly #record: (record: AppendRecord) => void;
  #lastAt = performance.now();
  #longestGap = 0;

  constructor(
    session: string,
    parts: {
      readonly journal: Journal;
      readonly random: SeededRandom;
      readonly record: (record: AppendRecord) => void;
    },
  ) {
    this.session = session;
    this.#journal = parts.journal;
    this.#random = parts.random;
    this.#record = parts.record;
  }

  async run(signal: AbortSignal): Promise<void> {
    let claim = await this.#claim();
    while (!signal.aborted) {
      if (this.#random.nextBelow(batchesPerClaim) === 0) claim = await this.#claim();
      claim = await this.#append(claim);
    }
  }

  /** Returns the longest time between two acknowledgments since the last call, in milliseconds. */
  takeLongestGap(): number {
    const gap = this.#longestGap;
    this.#longestGap = 0;
    return gap;
  }

  /** A claim has no events, so one that was written unseen does no harm: the next one has a higher epoch. */
  async #claim(): Promise<Claim> {
    const claim = await retryWhileUnavailable(() => this.#journal.claim(this.session, "appender"));
    if (claim.last !== this.acknowledged) {
      throw new Error(`${this.session} has ${claim.last} events after a claim, not ${this.acknowledged}.`);
    }
    return claim;
  }

  /** Appends one batch, however long it takes. Returns the claim with the fence for the next one. */
  async #append(claim: Claim): Promise<Claim> {
    const count = 1 + this.#random.nextBelow(largestBatch);
    const first = this.acknowledged + 1;
    const events = Array.from({ length: count }, (_, index) => writeEvent(this.session, first + index));
    const batch: EventBatch = { session: this.session, epoch: claim.epoch, first, events, owner: "appender" };
    for (let attempt = 1; ; attempt++) {
      try {
        const fence = await this.#journal.append(batch, claim.fence);
        this.#acknowledge(batch, "acknowledged");
        return { ...claim, fence, last: this.acknowledged };
      } catch (error) {
        const isFenced = FairleadError.is(error, "fenced");
        if (!isFenced && !FairleadError.is(error, "unavailable")) throw error;
        if (isFenced && attempt === 1) this.fenced++;
        this.undecided++;
        this.#note(batch, isFenced ? "fenced" : "unavailable");
        const tail = await retryWhileUnavailable(() => this.#journal.tail(this.session));
        if (tail.last === this.acknowledged + count && tail.epoch === claim.epoch) {
          this.foundStored++;
          this.#acknowledge(batch, "found stored");
          return { ...claim, fence: tail.fence, last: tail.last };
        }
        if (tail.last !== this.acknowledged) {
          throw new Error(`${this.session} ends with ${tail.last}, not ${this.acknowledged} or ${count} more.`, {
            cause: error,
          });
        }
        // The batch may still be under way, so it is sent again in the same place, which only one of the two can take.
      }
    }
  }

  #acknowledge(batch: EventBatch, outcome: string): void {
    const now = performance.now();
    this.#longestGap = Math.max(this.#longestGap, now - this.#lastAt);
    this.#lastAt = now;
    this.acknowledged += batch.events.length;
    this.#note(batch, outcome);
  }

  #note({ session, epoch, first, events }: EventBatch, outcome: string): void {
    this.#record({ at: Math.round(performance.now()), session, epoch, first, count: events.length, outcome });
  }
}

async function retryWhileUnavailable<Value>(call: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!FairleadError.is(error, "unavailable")) throw error;
    }
  }
}
