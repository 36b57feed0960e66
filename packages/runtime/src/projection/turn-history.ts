import type { Event, EventOf } from "@fairlead/contract";
import { HourCells } from "./hour-cells.ts";

/** The ended turns of one session in one hour, and how long it waited. */
export interface HourlyTurns {
  /** The beginning of the hour in UTC, in milliseconds since 1970. Of old turns: that of the day. */
  readonly start: number;
  /** The number of turns that ended. */
  readonly turns: number;
  readonly failed: number;
  readonly interrupted: number;
  /** The time in the hour in which a request was open, in milliseconds. */
  readonly waitedMs: number;
  /** The longest wait that ended in the hour, or is not over, in milliseconds from its beginning. */
  readonly longestWaitMs: number;
}

/** A session has one group. */
type Cell = readonly [
  hour: number,
  group: 0,
  turns: number,
  failed: number,
  interrupted: number,
  waitedMs: number,
  longestWaitMs: number,
];

export interface TurnHistoryContent {
  /** Since when a request is open, in milliseconds since 1970. */
  readonly waitingSince: number | null;
  readonly hours: readonly Cell[];
  readonly days: readonly Cell[];
}

const hourMs = 3_600_000;
/** The maximum number of hours that one wait is spread over, so that a clock that was wrong costs no endless loop. */
const maxWaitHours = 1000;

/** The turns of one session and its waiting time by hour. */
export class TurnHistory {
  readonly #cells: HourCells<Cell>;
  #waitingSince: number | null;

  constructor({ waitingSince, hours, days }: TurnHistoryContent = { waitingSince: null, hours: [], days: [] }) {
    this.#waitingSince = waitingSince;
    this.#cells = new HourCells(hours, days, sumCells);
  }

  get content(): TurnHistoryContent {
    return { waitingSince: this.#waitingSince, hours: this.#cells.hours, days: this.#cells.days };
  }

  /** The sums, the oldest first as far as the clock did not go back. A wait that is not over is counted until `now`. */
  *sums(now: number): Generator<HourlyTurns> {
    if (this.#waitingSince !== null) {
      const ended = new TurnHistory(this.content);
      ended.#endWait(now);
      yield* ended.sums(now);
      return;
    }
    for (const [hour, , turns, failed, interrupted, waitedMs, longestWaitMs] of this.#cells)
      yield { start: hour * hourMs, turns, failed, interrupted, waitedMs, longestWaitMs };
  }

  /** Adds an event, after which a request is open or not. */
  add({ occurredAt, body }: Pick<Event, "occurredAt" | "body">, isWaiting: boolean): void {
    const time = Date.parse(occurredAt);
    if (body.type === "turn.ended") this.#addTurn(time, body.outcome);
    if (isWaiting) this.#waitingSince ??= time;
    else this.#endWait(time);
  }

  #addTurn(time: number, outcome: EventOf<"turn.ended">["outcome"]): void {
    const failed = outcome === "failed" ? 1 : 0;
    const interrupted = outcome === "interrupted" ? 1 : 0;
    this.#cells.add([Math.floor(time / hourMs), 0, 1, failed, interrupted, 0, 0]);
  }

  /** Spreads the wait over its hours. What is before the last 1,000 hours counts in the first of them. */
  #endWait(end: number): void {
    const since = this.#waitingSince;
    this.#waitingSince = null;
    if (since === null || end <= since) return;
    const last = Math.floor(end / hourMs);
    const first = Math.max(Math.floor(since / hourMs), last - maxWaitHours + 1);
    for (let hour = first; hour <= last; hour += 1) {
      const from = hour === first ? since : hour * hourMs;
      const waited = Math.min(end, (hour + 1) * hourMs) - from;
      if (waited > 0 || hour === last) this.#cells.add([hour, 0, 0, 0, 0, waited, hour === last ? end - since : 0]);
    }
  }
}

function sumCells(one: Cell, other: Cell): Cell {
  const [hour, group, turns, failed, interrupted, waitedMs, longestWaitMs] = one;
  const ended = [turns + other[2], failed + other[3], interrupted + other[4]] as const;
  return [hour, group, ...ended, waitedMs + other[5], Math.max(longestWaitMs, other[6])];
}
