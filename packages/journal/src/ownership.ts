import type { EventLog, Fence } from "./event-log.ts";

/** The right to append to a session, until the next claim. */
export interface Claim {
  /** One more than the epoch before. Every frame of this owner carries it. */
  readonly epoch: number;
  /** What the owner's first append must carry. */
  readonly fence: Fence;
  /** The number of the newest event; the owner's first is the next one. */
  readonly last: number;
}

export interface Ownership {
  /**
   * Makes `owner` the owner of the session. A claim is a frame without events and with the next epoch, written by
   * compare-and-set: any number may race, each success fences the one before, and no clock is involved. It never
   * throws `fenced`: a claim that loses to an append or another claim is made again, and a busy owner cannot hold it
   * off for ever.
   */
  claim(session: string, owner: string): Promise<Claim>;
}

/** What an engine gives: the log, and who may write to it. */
export type Journal = EventLog & Ownership;
