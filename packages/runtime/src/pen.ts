import { FairleadError, type Delta, type Draft, type Event } from "@fairlead/contract";
import { lastOf, type Claim, type EventLog, type Tail } from "@fairlead/journal";
import { pause, type Clock } from "./clock.ts";
import { toBytes } from "./event-bytes.ts";
import { insist } from "./insist.ts";

/** How long to wait before trying again when the journal cannot be written, as when the disk is full. */
const patience = 250;

export interface PenParts {
  readonly session: string;
  readonly owner: string;
  readonly claim: Claim;
  readonly log: EventLog;
  readonly clock: Clock;
  /** Told of each event once it is durable. Must not throw. */
  readonly journaled?: (event: Event) => void;
}

/** Writes one owner's events: numbers them, and does not let go of them until they are durable. */
export class Pen {
  readonly #parts: PenParts;
  #last: number;
  #fence: bigint;

  constructor(parts: PenParts) {
    this.#parts = parts;
    this.#last = parts.claim.last;
    this.#fence = parts.claim.fence;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /**
   * Appends the events among what was told, and gives all of it back with the events numbered. While the journal
   * cannot be written it waits and tries again, so nothing is lost; it throws `fenced` when another owner has come, or
   * the signal's reason when it aborts.
   */
  async write(told: readonly (Draft | Delta)[], signal: AbortSignal): Promise<(Event | Delta)[]> {
    const { session, claim, owner, journaled } = this.#parts;
    const first = this.#last + 1;
    let sequence = this.#last;
    const out = told.map((one) => ("body" in one ? { ...one, sequence: ++sequence, epoch: claim.epoch } : one));
    const events = toBytes(out.filter((one) => "body" in one));
    if (events.length === 0) return out;
    const frame = { session, epoch: claim.epoch, first, events, owner };
    this.#fence = await this.#append(frame, signal);
    this.#last = lastOf(frame);
    if (journaled) for (const one of out) if ("body" in one) journaled(one);
    return out;
  }

  /** The error that another owner is to us, or null while there is none. */
  async fencedBy(): Promise<FairleadError | null> {
    const { log, session, claim } = this.#parts;
    const { epoch } = await log.tail(session);
    return epoch === claim.epoch ? null : new FairleadError("fenced", `Another process drives session ${session} now.`);
  }

  async #append(frame: Parameters<EventLog["append"]>[0], signal: AbortSignal): Promise<bigint> {
    const { log } = this.#parts;
    for (;;) {
      try {
        return await log.append(frame, this.#fence);
      } catch (error) {
        if (!FairleadError.is(error, "unavailable") || signal.aborted) throw error;
        // Only the tail tells whether it was written after all; until it is known, writing again could fence us off.
        const tail = await this.#tail(signal);
        if (tail.epoch === frame.epoch && tail.last === lastOf(frame)) return tail.fence;
      }
    }
  }

  async #tail(signal: AbortSignal): Promise<Tail> {
    const { log, clock, session } = this.#parts;
    await pause(clock, patience, signal);
    const passes = (error: unknown): boolean => FairleadError.is(error, "unavailable");
    return await insist(() => log.tail(session), { clock, signal, passes });
  }
}
