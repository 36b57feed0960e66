import type { UsageHistoryQuery } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The length of a bucket, and the default and the largest length of a range, in milliseconds. */
const lengths = {
  hour: { bucket: hourMs, range: dayMs, maxRange: 31 * dayMs },
  day: { bucket: dayMs, range: 30 * dayMs, maxRange: 400 * dayMs },
} as const;

/** A range of time that is divided into hours or days. */
export class HistoryRange {
  /** The beginning of the first hour or day. */
  readonly from: string;
  readonly #bucketMs: number;
  readonly #from: number;
  readonly #to: number;

  /** Throws `invalid-request` for a range that is empty or too long. */
  constructor({ by, from, to }: UsageHistoryQuery, now: number) {
    const { bucket, range, maxRange } = lengths[by];
    this.#to = to === undefined ? now + 1 : Date.parse(to);
    const start = from === undefined ? this.#to - range : Date.parse(from);
    if (start >= this.#to) throw new FairleadError("invalid-request", "from: It must be before the end of the range.");
    if (this.#to - start > maxRange + 1) {
      const days = maxRange / dayMs;
      throw new FairleadError("invalid-request", `from: A range by ${by} has at most ${days} days.`);
    }
    this.#bucketMs = bucket;
    this.#from = Math.floor(start / bucket) * bucket;
    this.from = new Date(this.#from).toISOString();
  }

  /** Returns the beginning of the hour or day of a time; undefined outside of the range. */
  bucketOf(time: number): string | undefined {
    if (time < this.#from || time >= this.#to) return undefined;
    return new Date(Math.floor(time / this.#bucketMs) * this.#bucketMs).toISOString();
  }
}
