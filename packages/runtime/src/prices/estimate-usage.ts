import { costOfTokens } from "@fairlead/contract";
import type { SessionUsage } from "../projection/usage-totals.ts";
import { findModelPrice, pricesAsOf } from "./find-model-price.ts";

/** What tokens without a reported cost cost at list prices. */
export interface CostEstimate {
  /** In US dollars. */
  readonly amount: number;
  /** The day of the price list. */
  readonly asOf: string;
}

/** Estimates the cost of a session. Null if all costs are reported, or no price is known. */
export async function estimateTotal(usage: readonly SessionUsage[]): Promise<CostEstimate | null> {
  const estimates = (await Promise.all(usage.map(estimateUsage))).filter((one) => one !== null);
  if (estimates.length === 0) return null;
  return { amount: estimates.reduce((sum, { amount }) => sum + amount, 0), asOf: pricesAsOf };
}

/** Estimates the cost of the tokens whose cost is not reported. Null if there are none, or no price is known. */
export async function estimateUsage({ provider, model, unpriced }: SessionUsage): Promise<CostEstimate | null> {
  if (Object.values(unpriced).every((count) => count === 0)) return null;
  const price = await findModelPrice(provider, model);
  return price === null ? null : { amount: costOfTokens(price, unpriced), asOf: pricesAsOf };
}
