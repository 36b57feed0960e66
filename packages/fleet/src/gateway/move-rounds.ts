/** The attempts to move a session, one host after the other. */
export interface MoveRound {
  readonly epoch: number;
  /** Part of the jobs' keys: 0, or the number of an interval, so that gateways agree on it most of the time. */
  number: number;
  isOver: boolean;
  /** The rounds of this session that are over. */
  count: number;
  /** When the last one was over, in milliseconds since 1970. */
  endedAt: number;
  /** The refusals that were reported in this and earlier rounds. */
  readonly reported: Set<string>;
}

export interface BeginRoundOptions {
  /** Whether a client waits for the session. */
  readonly isAsked: boolean;
  /** When the newest host of the session's pool joined. */
  readonly joinedAt: number;
  readonly now?: number;
}

/** Rounds that are remembered. Without its round, a session gets a job more than needed. */
const maxRounds = 10_000;
/** Intervals between two rounds at most: an hour, if an interval is a minute. A power of two, as all numbers before it. */
const maxPeriod = 64;

/**
 * The rounds of the sessions that could not move. A session may find no host for days, and each outcome is stored for a week: with
 * a round a minute, the stored outcomes would fill the servers. So the pause between the rounds of a session doubles. The number of
 * a round is a multiple of the pause, so that gateways put the same jobs, also if one of them has counted fewer rounds.
 */
export class MoveRounds {
  readonly #interval: number;
  readonly #rounds = new Map<string, MoveRound>();

  /** `interval`: the milliseconds between the first rounds of a session. */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /**
   * Returns the round that is under way, or a new one. Null if it is too early for the next one. A client that waits gets one after
   * one interval. A host that has joined since makes the pauses short again: it may have what the others lack.
   */
  begin(session: string, epoch: number, { isAsked, joinedAt, now = Date.now() }: BeginRoundOptions): MoveRound | null {
    const before = this.#rounds.get(session);
    const round: MoveRound =
      before?.epoch === epoch
        ? before
        : { epoch, number: 0, isOver: false, count: 0, endedAt: 0, reported: new Set<string>() };
    if (round.isOver) {
      if (joinedAt > round.endedAt) round.count = Math.min(round.count, 1);
      const period = isAsked ? 1 : Math.min(2 ** (round.count - 1), maxPeriod);
      const number = Math.floor(now / this.#interval / period) * period;
      if (number <= round.number) return null;
      round.number = number;
      round.isOver = false;
    }
    // The newest is the last.
    this.#rounds.delete(session);
    this.#rounds.set(session, round);
    const [oldest] = this.#rounds.keys();
    if (this.#rounds.size > maxRounds && oldest !== undefined) this.#rounds.delete(oldest);
    return round;
  }

  /** Ends a round. The next one has a number of its own. */
  end(round: MoveRound, now = Date.now()): void {
    round.isOver = true;
    round.count += 1;
    round.endedAt = now;
  }

  forget(session: string): void {
    this.#rounds.delete(session);
  }
}
