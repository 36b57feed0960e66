import { FairleadError, type Event } from "@fairlead/contract";
import {
  cutFrame,
  lastOf,
  mustFollow,
  type Claim,
  type Fence,
  type Frame,
  type Journal,
  type Tail,
} from "@fairlead/journal";
import { fromBytes } from "../event-bytes.ts";
import type { Chance } from "./chance-for-test.ts";
import type { Life } from "./life-for-test.ts";

/** A journal in memory, as far away as the seed wants it, and sometimes out of reach. */
export class SimulatedJournal {
  readonly frames: Frame[] = [];
  readonly events: Event[] = [];
  readonly #chance: Chance;
  readonly #isFenced: boolean;
  /** While it is, every call may fail: before it was done, or after. */
  isUnreliable = false;

  constructor(chance: Chance, isFenced: boolean) {
    this.#chance = chance;
    this.#isFenced = isFenced;
  }

  get tail(): Tail {
    const newest = this.frames.at(-1);
    if (newest === undefined) return { epoch: 0, last: 0, fence: 0n, owner: "" };
    return { epoch: newest.epoch, last: lastOf(newest), fence: BigInt(this.frames.length), owner: newest.owner };
  }

  get isOver(): boolean {
    return this.events.at(-1)?.body.type === "session.ended";
  }

  /** The journal as one process has it. */
  for(life: Life): Journal {
    const find = (after: number): Frame[] =>
      this.frames.filter((frame) => frame.events.length > 0 && lastOf(frame) > after);
    const call = <T>(act: () => T): Promise<T> => this.#call(life, act);
    return {
      tail: () => call(() => this.tail),
      append: (frame, fence) => call(() => this.#append(frame, fence)),
      async *read(_session, after) {
        for (const frame of await call(() => find(after))) yield cutFrame(frame, after);
      },
      claim: (session, owner) => this.#claim(life, session, owner),
      forget: notHere,
      watch: notHere,
      sessions: notHere,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  #append(frame: Frame, fence: Fence): Fence {
    if (this.#isFenced) mustFollow(this.tail, frame, fence);
    this.frames.push(frame);
    this.events.push(...frame.events.map(fromBytes));
    return this.tail.fence;
  }

  async #claim(life: Life, session: string, owner: string): Promise<Claim> {
    for (;;) {
      try {
        return await this.#call(life, () => {
          const { epoch, last, fence } = this.tail;
          const claim = { session, epoch: epoch + 1, first: last + 1, events: [], owner };
          return { epoch: epoch + 1, last, fence: this.#append(claim, fence) };
        });
      } catch (error) {
        if (!FairleadError.is(error, "unavailable")) throw error;
      }
    }
  }

  /** A call takes a while to get there and a while to come back, and much can happen meanwhile. */
  async #call<T>(life: Life, act: () => T): Promise<T> {
    const failing = this.isUnreliable && this.#chance.happens(0.5) ? this.#chance.pick(["before", "after"]) : null;
    await life.wait(this.#delay());
    if (failing === "before") throw unavailable();
    const done = act();
    await life.wait(this.#delay());
    if (failing === "after") throw unavailable();
    return done;
  }

  #delay(): number {
    return this.#chance.happens(0.05) ? this.#chance.between(50, 500) : this.#chance.between(0, 3);
  }
}

function unavailable(): FairleadError {
  return new FairleadError("unavailable", "The journal is out of reach.");
}

function notHere(): never {
  throw new Error("Nobody asks this of a simulated journal.");
}
