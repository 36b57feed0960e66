import type { Delta, EventOf } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { addTokenCounts, zeroTokenCounts, type TokenCounts } from "../events/report.ts";

/** The usage of a turn or a session. */
export interface UsageTotal {
  readonly tokens: TokenCounts;
  /** In US dollars; null if no cost was reported. */
  readonly cost: number | null;
}

export const zeroUsage: UsageTotal = { tokens: zeroTokenCounts, cost: null };

/** Adds a report to a total. */
export function withUsageReport({ tokens, cost }: UsageTotal, report: EventOf<"usage.reported">): UsageTotal {
  return {
    tokens: addTokenCounts(tokens, report.tokens),
    cost: report.cost === null ? cost : (cost ?? 0) + report.cost.amount,
  };
}

/** What the head of an export says about a session. */
export interface SessionTotals {
  readonly first: Event | null;
  readonly last: Event | null;
  readonly started: EventOf<"session.started"> | null;
  readonly ended: EventOf<"session.ended"> | null;
  /** The first models that were used. */
  readonly models: readonly string[];
  readonly usage: UsageTotal;
  readonly turns: number;
  readonly calls: number;
  readonly decisions: number;
}

/** An agent could name another model in every event. */
const maxModels = 32;

/** Sums up the events of a session, up to a sequence number. */
export async function sumUpSession(events: AsyncIterable<Event | Delta>, upTo: number): Promise<SessionTotals> {
  let [first, last]: [Event | null, Event | null] = [null, null];
  let [started, ended]: [EventOf<"session.started"> | null, EventOf<"session.ended"> | null] = [null, null];
  let usage = zeroUsage;
  const counts = { "turn.started": 0, "tool.requested": 0, "decision.requested": 0 };
  const models = new Set<string>();
  for await (const event of events) {
    if (!("body" in event)) continue;
    if (event.sequence > upTo) break;
    const { body, model } = event;
    first ??= event;
    last = event;
    if (model !== null && models.size < maxModels) models.add(model);
    if (body.type in counts) counts[body.type as keyof typeof counts] += 1;
    if (body.type === "session.started") started = body;
    else if (body.type === "session.ended") ended = body;
    else if (body.type === "usage.reported") usage = withUsageReport(usage, body);
  }
  return {
    first,
    last,
    started,
    ended,
    usage,
    models: [...models],
    turns: counts["turn.started"],
    calls: counts["tool.requested"],
    decisions: counts["decision.requested"],
  };
}
