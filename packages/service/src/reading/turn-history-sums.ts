import type { TurnBucket } from "@fairlead/api";
import type { SessionProjection } from "@fairlead/runtime";
import type { HistoryRange } from "./history-range.ts";

/** The turns and waiting times of sessions in a range of time, by hour or day, agent and workspace. */
export class TurnHistorySums {
  readonly #range: HistoryRange;
  readonly #now: number;
  readonly #buckets = new Map<string, TurnBucket>();

  constructor(range: HistoryRange, now: number) {
    this.#range = range;
    this.#now = now;
  }

  /** The buckets with turns or waiting time, the oldest first. */
  get buckets(): TurnBucket[] {
    const sorted = Array.from(this.#buckets).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([, bucket]) => bucket);
  }

  add(projection: SessionProjection): void {
    const { agent = "", workspace: folder = "", copy } = projection.summary ?? {};
    const workspace = copy?.workspace ?? folder;
    for (const { start: at, ...counts } of projection.turnHistory(this.#now)) {
      const start = this.#range.bucketOf(at);
      if (start === undefined) continue;
      const key = JSON.stringify([start, agent, workspace]);
      const sum = this.#buckets.get(key);
      const added: TurnBucket = { start, agent, workspace, ...counts };
      this.#buckets.set(key, sum === undefined ? added : sumBuckets(sum, added));
    }
  }
}

function sumBuckets(one: TurnBucket, other: TurnBucket): TurnBucket {
  return {
    ...one,
    turns: one.turns + other.turns,
    failed: one.failed + other.failed,
    interrupted: one.interrupted + other.interrupted,
    waitedMs: one.waitedMs + other.waitedMs,
    longestWaitMs: Math.max(one.longestWaitMs, other.longestWaitMs),
  };
}
