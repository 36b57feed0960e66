import type { UsageBucket } from "@fairlead/api";
import { addTokenCounts } from "@fairlead/contract";
import { lessCertainProvenance, type SessionProjection } from "@fairlead/runtime";
import type { HistoryRange } from "./history-range.ts";

/** The usage of sessions in a range of time, by hour or day, agent, provider, model and workspace. */
export class UsageHistorySums {
  readonly #range: HistoryRange;
  readonly #buckets = new Map<string, UsageBucket>();

  constructor(range: HistoryRange) {
    this.#range = range;
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
      const start = this.#range.bucketOf(at);
      if (start === undefined) continue;
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
