import { FairleadError, type Event } from "@fairlead/contract";
import {
  sliceBatch,
  lastSequenceOf,
  assertFollowsTail,
  type Claim,
  type Fence,
  type EventBatch,
  type Journal,
  type LogTail,
} from "@fairlead/journal";
import { decodeEvent } from "../../packages/runtime/src/actor/stored-events.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** A journal in memory with delays that depend on the seed, and with phases in which it is unavailable. */
export class SimulatedJournal {
  readonly batches: EventBatch[] = [];
  readonly events: Event[] = [];
  readonly #random: SeededRandom;
  readonly #checksFence: boolean;
  /** While true, every call may fail, before or after the operation. */
  isUnreliable = false;

  constructor(random: SeededRandom, checksFence: boolean) {
    this.#random = random;
    this.#checksFence = checksFence;
  }

  get tail(): LogTail {
    const newest = this.batches.at(-1);
    if (newest === undefined) return { epoch: 0, last: 0, fence: 0n, owner: "" };
    return {
      epoch: newest.epoch,
      last: lastSequenceOf(newest),
      fence: BigInt(this.batches.length),
      owner: newest.owner,
    };
  }

  get hasEnded(): boolean {
    return this.events.at(-1)?.body.type === "session.ended";
  }

  /** Opens the journal for one process. Calls never return after the process has ended. */
  openFor(process: SimulatedProcess): Journal {
    const find = (after: number): EventBatch[] =>
      this.batches.filter((batch) => batch.events.length > 0 && lastSequenceOf(batch) > after);
    const call = <T>(operation: () => T): Promise<T> => this.#call(process, operation);
    return {
      carriesNotes: false,
      notes: notSimulated,
      tail: () => call(() => this.tail),
      append: (batch, fence) => call(() => this.#append(batch, fence)),
      async *read(_session, after) {
        for (const batch of await call(() => find(after))) yield sliceBatch(batch, after);
      },
      claim: (session, owner) => this.#claim(process, session, owner),
      forget: notSimulated,
      watch: notSimulated,
      sessions: notSimulated,
      changes: notSimulated,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  #append(batch: EventBatch, fence: Fence): Fence {
    if (this.#checksFence) assertFollowsTail(this.tail, batch, fence);
    this.batches.push(batch);
    this.events.push(...batch.events.map(decodeEvent));
    return this.tail.fence;
  }

  async #claim(process: SimulatedProcess, session: string, owner: string): Promise<Claim> {
    for (;;) {
      try {
        return await this.#call(process, () => {
          const { epoch, last, fence } = this.tail;
          const claim = { session, epoch: epoch + 1, first: last + 1, events: [], owner };
          return { epoch: epoch + 1, last, fence: this.#append(claim, fence) };
        });
      } catch (error) {
        if (!FairleadError.is(error, "unavailable")) throw error;
      }
    }
  }

  /** Delays a call before and after the operation, so that faults can occur in between. */
  async #call<T>(process: SimulatedProcess, operation: () => T): Promise<T> {
    const failure = this.isUnreliable && this.#random.happens(0.5) ? this.#random.pick(["before", "after"]) : null;
    await process.wait(this.#delay());
    if (failure === "before") throw unavailable();
    const result = operation();
    await process.wait(this.#delay());
    if (failure === "after") throw unavailable();
    return result;
  }

  #delay(): number {
    return this.#random.happens(0.05) ? this.#random.between(50, 500) : this.#random.between(0, 3);
  }
}

function unavailable(): FairleadError {
  return new FairleadError("unavailable", "The journal is unavailable.");
}

function notSimulated(): never {
  throw new Error("The simulated journal does not support this operation.");
}
