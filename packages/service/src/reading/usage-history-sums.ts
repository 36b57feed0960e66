import type { UsageBucket, UsageHistoryQuery } from "@fairlead/api";
import { addTokenCounts, FairleadError } from "@fairlead/contract";
import { lessCertainProvenance, type SessionProjection } from "@fairlead/runtime";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The length of a bucket, and the default and the largest length of a range, in milliseconds. */
const lengths = {
  hour: { bucket: hourMs, range: dayMs, maxRange: 31 * dayMs },
  day: { bucket: dayMs, range: 30 * dayMs, maxRange: 400 * dayMs },
} as const;

/** The usage of sessions in a range of time, by hour or day, agent, provider, model and workspace. */
export class UsageHistorySums {
  /** The beginning of the first bucket. */
  readonly from: string;
  readonly #bucketMs: number;
  readonly #from: number;
  readonly #to: number;
  readonly #buckets = new Map<string, UsageBucket>();

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

  /** The buckets with usage, the oldest first. */
  get buckets(): UsageBucket[] {
    const sorted = Array.from(this.#buckets).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([, bucket]) => bucket);
  }

  /** Adds a session. It must be added once, because each bucket counts its sessions. */
  add({ summary, usageHistory }: SessionProjection): void {
    const workspace = summary?.copy?.workspace ?? summary?.workspace ?? "";
    const counted = new Set<string>();
    for (const { start: at, agent, provider, model, turns, tokens, cost, provenance } of usageHistory) {
      if (at < this.#from || at >= this.#to) continue;
      const start = new Date(Math.floor(at / this.#bucketMs) * this.#bucketMs).toISOString();
      const key = JSON.stringify([start, agent, provider, model, workspace]);
      const sum = this.#buckets.get(key);
      const sessions = (sum?.sessions ?? 0) + (counted.has(key) ? 0 : 1);
      counted.add(key);
      const added: UsageBucket = {
        start,
        agent,
        provider,
        model,
        workspace,
        sessions,
        turns,
        tokens,
        cost,
        provenance,
      };
      this.#buckets.set(key, sum === undefined ? added : sumBuckets(sum, added));
    }
  }
}

/** Returns the sum. The number of sessions is that of the second one, because both may have the same session. */
function sumBuckets(one: UsageBucket, other: UsageBucket): UsageBucket {
  return {
    ...other,
    turns: one.turns + other.turns,
    tokens: addTokenCounts(one.tokens, other.tokens),
    cost: one.cost === null && other.cost === null ? null : (one.cost ?? 0) + (other.cost ?? 0),
    provenance: lessCertainProvenance(one.provenance, other.provenance),
  };
}
