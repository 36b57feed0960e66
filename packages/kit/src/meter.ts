import { ownValue, zeroTokenCounts, type EventOf, type TokenCounts } from "@fairlead/contract";
import { z } from "zod";
import type { TransitionWriter } from "./transition-writer.ts";

/**
 * Schema of a token count in an agent's message. Accepts every value, because a wrong count must not make the message
 * unreadable that ends the turn. `reportUsage` reports wrong counts.
 */
export const AgentTokenCount = z.number().catch(Number.NaN);

/** One usage report of an agent. The dialect states whether the figures are a difference or a running total. */
export interface UsageReading {
  readonly kind: "delta" | "cumulative";
  readonly provider: string;
  readonly model: string;
  readonly tokens: TokenCounts;
  /** In US dollars; null if the agent does not report it. */
  readonly cost: number | null;
  /** Name of the running total, for agents that keep several. */
  readonly counter?: string;
  /** Set if the counter's total includes all models. What was used since the last reading is the named model's. */
  readonly spansModels?: true;
  /** The part of the tokens that was reported before, by itself. */
  readonly reported?: TokenCounts;
  /** Set if the first total of a counter includes earlier usage: it is only the baseline and is not reported. */
  readonly counted?: "before";
}

type Total = Pick<UsageReading, "tokens" | "cost">;

/** The last running totals by counter, provider and model. Part of a dialect's state. */
export type Meters = Readonly<Record<string, Total>>;

interface HasMeters {
  readonly meters: Meters;
}

const zeroTotal: Total = { tokens: zeroTokenCounts, cost: 0 };

/**
 * Writes `usage.reported` with the usage since the last reading. Writes nothing if no token was used. A
 * reading with a count that is negative, fractional or too large, or with a negative cost, becomes an `unrecognized` event and changes no total.
 */
export function reportUsage<State extends HasMeters>(writer: TransitionWriter<State>, reading: UsageReading): void {
  const { kind, provider, model, tokens, cost, counter = "", spansModels, counted } = reading;
  const { reported } = reading;
  if (!buckets.every((bucket) => isTokenCount(tokens[bucket])))
    return void writer.unrecognized(JSON.stringify(reading), "a token count is not valid");
  if (cost !== null && !(cost >= 0)) return void writer.unrecognized(JSON.stringify(reading), "the cost is not valid");
  const { meters } = writer.state;
  const prefix = counter === "" ? "" : `${counter}/`;
  const key = spansModels ? prefix : `${prefix}${provider}/${model}`;
  // Earlier versions stored the total of a counter that spans models under the model of the time.
  const earlierKey = spansModels ? Object.keys(meters).findLast((one) => one.startsWith(prefix)) : undefined;
  const last = ownValue(meters, key) ?? ownValue(meters, earlierKey ?? key);
  const before = kind === "cumulative" ? (last ?? zeroTotal) : zeroTotal;
  if (kind === "cumulative") {
    writer.state = { ...writer.state, meters: { ...meters, [key]: { tokens, cost } } };
  }
  if (counted === "before" && last === undefined) return;
  // A total that decreases was reset: all of it was used since then.
  const hasRestarted = buckets.some((bucket) => tokens[bucket] < before.tokens[bucket]);
  const baseline = hasRestarted ? zeroTotal : before;
  const usedTokens = Object.fromEntries(
    buckets.map((bucket) => [
      bucket,
      Math.max(0, tokens[bucket] - baseline.tokens[bucket] - (reported?.[bucket] ?? 0)),
    ]),
  ) as TokenCounts;
  const amount = cost === null ? null : cost - (baseline.cost ?? 0);
  // The cost of tokens that were reported before is not known before.
  const isCostOfReported = reported !== undefined && amount !== null && amount !== 0;
  if (buckets.every((bucket) => usedTokens[bucket] === 0) && !isCostOfReported) return;
  const event: EventOf<"usage.reported"> = {
    type: "usage.reported",
    provider,
    model,
    tokens: usedTokens,
    cost: amount === null ? null : { amount, currency: "USD" },
    provenance: kind === "delta" ? "reported" : "derived",
  };
  writer.event(event);
}

const buckets = ["uncached", "cacheRead", "cacheWrite", "output", "reasoning"] as const;

function isTokenCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0;
}

/** Converts counts whose `input` includes cached tokens to counts with a separate `uncached` bucket. */
export function subtractCachedInput(counts: { readonly input: number } & Omit<TokenCounts, "uncached">): TokenCounts {
  const { input, ...otherCounts } = counts;
  const uncached = isTokenCount(input) ? Math.max(0, input - otherCounts.cacheRead - otherCounts.cacheWrite) : input;
  return { uncached, ...otherCounts };
}

/** What an agent says about a quota. Times are in seconds since 1970. */
export interface QuotaReading {
  readonly status: EventOf<"quota.reported">["status"];
  readonly window?: string | undefined;
  readonly usedPercent?: number | undefined;
  readonly resetsAt?: number | null | undefined;
}

/** The last reports by window. Part of a dialect's state. */
export type Quotas = Readonly<Record<string, string>>;

/** The most windows of which changes are noticed. The agent chooses their names. */
const maxWindows = 16;
const lastSecond = Date.UTC(9999, 11, 31) / 1000;

/** Writes `quota.reported` if something has changed. Agents repeat what they know with every answer. */
export function reportQuota<State extends { readonly quotas?: Quotas }>(
  writer: TransitionWriter<State>,
  { status, window, usedPercent, resetsAt }: QuotaReading,
): void {
  const hasTime = resetsAt != null && resetsAt > 0 && resetsAt < lastSecond;
  const event: EventOf<"quota.reported"> = {
    type: "quota.reported",
    status,
    ...(window !== undefined && { window }),
    ...(usedPercent !== undefined && usedPercent >= 0 && { usedPercent }),
    ...(hasTime && { resetsAt: new Date(resetsAt * 1000).toISOString() }),
  };
  const { quotas = {} } = writer.state;
  const key = window ?? "";
  const text = JSON.stringify(event);
  if (ownValue(quotas, key) === text) return;
  if (Object.hasOwn(quotas, key) || Object.keys(quotas).length < maxWindows)
    writer.state = { ...writer.state, quotas: { ...quotas, [key]: text } };
  writer.event(event);
}
