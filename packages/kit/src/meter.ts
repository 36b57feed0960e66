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
  /** Which of its totals it is, where an agent keeps several. */
  readonly counter?: string;
  /** The first total of a counter is only remembered: what it counts was used before, by somebody else. */
  readonly counted?: "before";
}

type Total = Pick<Reading, "tokens" | "cost">;

/** The running totals seen last, by counter, provider and model. */
export type Meters = Readonly<Record<string, Total>>;

interface HasMeters {
  readonly meters: Meters;
}

const none: Total = { tokens: { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }, cost: 0 };

/** Tells what was used since the last reading. Of running totals, the difference; none when there is no difference. */
export function metered<State extends HasMeters>(writer: StepWriter<State>, reading: Reading): void {
  const { kind, provider, model, tokens, cost, counter, counted } = reading;
  const key = `${counter === undefined ? "" : `${counter}/`}${provider}/${model}`;
  const last = writer.state.meters[key];
  const before = kind === "cumulative" ? (last ?? none) : none;
  if (kind === "cumulative") {
    writer.state = { ...writer.state, meters: { ...writer.state.meters, [key]: { tokens, cost } } };
  }
  if (counted === "before" && last === undefined) return;
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
