import type { EventLog, Fence } from "./event-log.ts";

/** The right to append to a session until the next claim. */
export interface Claim {
  /** The previous epoch plus one. Every batch of this owner has it. */
  readonly epoch: number;
  /** The fence that the owner's first append must pass. */
  readonly fence: Fence;
  /** The sequence of the newest event. The owner's first event has the next one. */
  readonly last: number;
}

export interface Ownership {
  /**
   * Makes `owner` the owner of the session. A claim is a batch without events and with the next epoch, written by
   * compare-and-set. Any number of callers may race; each success fences the previous owner, and no clock is involved.
   * It never throws `fenced`: the engine retries a claim that loses to an append or another claim, and a busy owner
   * cannot delay it without a limit.
   */
  claim(session: string, owner: string): Promise<Claim>;
}

/** The interface of a storage engine: the log and the right to write to it. */
export type Journal = EventLog & Ownership;
