import type { EventOf, Tokens } from "@fairlead/contract";
import type { StepWriter } from "./step-writer.ts";

/** One reading of an agent's meter. A dialect must say what its figures are: a difference, or a running total. */
export interface Reading {
  readonly kind: "delta" | "cumulative";
  readonly provider: string;
  readonly model: string;
  readonly tokens: Tokens;
  /** In US dollars; null when the agent does not tell. */
  readonly cost: number | null;
}

type Total = Pick<Reading, "tokens" | "cost">;

/** The running totals seen last, by provider and model. */
export type Meters = Readonly<Record<string, Total>>;

interface HasMeters {
  readonly meters: Meters;
}

const none: Total = { tokens: { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }, cost: 0 };

/** Tells what was used since the last reading. Of running totals, the difference; none when there is no difference. */
export function metered<State extends HasMeters>(writer: StepWriter<State>, reading: Reading): void {
  const { kind, provider, model, tokens, cost } = reading;
  const key = `${provider}/${model}`;
  const before = kind === "cumulative" ? (writer.state.meters[key] ?? none) : none;
  if (kind === "cumulative") {
    writer.state = { ...writer.state, meters: { ...writer.state.meters, [key]: { tokens, cost } } };
  }
  // A total that shrinks is a new count: what it says was used since.
  const restarted = buckets.some((bucket) => tokens[bucket] < before.tokens[bucket]);
  const since = restarted ? none : before;
  const used = Object.fromEntries(buckets.map((bucket) => [bucket, tokens[bucket] - since.tokens[bucket]])) as Tokens;
  if (buckets.every((bucket) => used[bucket] === 0)) return;
  const amount = cost === null ? null : cost - (since.cost ?? 0);
  const event: EventOf<"usage.reported"> = {
    type: "usage.reported",
    provider,
    model,
    tokens: used,
    cost: amount === null ? null : { amount, currency: "USD" },
    provenance: kind === "delta" ? "reported" : "derived",
  };
  writer.event(event);
}

const buckets = ["uncached", "cacheRead", "cacheWrite", "output", "reasoning"] as const;
