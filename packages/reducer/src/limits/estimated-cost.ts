import { addTokenCounts, costOfTokens, zeroTokenCounts } from "@fairlead/contract";
import type { EventOf, ModelPrice, TokenCounts } from "@fairlead/contract";

/** What is used of a model without a reported cost. */
export interface ModelUse {
  readonly provider: string;
  readonly model: string;
  readonly unpriced: TokenCounts;
  /** Missing until the runtime has looked for it. Null if it is not known. */
  readonly price?: ModelPrice | null;
}

/** The most models of a session that are counted by name. The agent chooses their names. */
const maxModels = 32;
/** The models after them, which are counted together. No price list has this host. */
const otherModels = { provider: "several", model: `models after the ${maxModels}nd` };

/**
 * Adds a report. A reported cost is also that of the reports before it without one. A cost of 0 is none: many agents report
 * it for a model whose price they do not know.
 */
export function addModelUse(
  models: readonly ModelUse[],
  { provider, model, tokens, cost }: EventOf<"usage.reported">,
): readonly ModelUse[] {
  const index = findModel(models, provider, model);
  const before = models[index];
  const hasCost = cost !== null && cost.amount > 0;
  if (before === undefined) {
    const added = hasCost ? zeroTokenCounts : tokens;
    if (models.length < maxModels) return [...models, { provider, model, unpriced: added }];
    const others = models[maxModels] ?? { ...otherModels, unpriced: zeroTokenCounts };
    return [...models.slice(0, maxModels), { ...others, unpriced: addTokenCounts(others.unpriced, added) }];
  }
  const unpriced = hasCost ? zeroTokenCounts : addTokenCounts(before.unpriced, tokens);
  return models.with(index, { ...before, unpriced });
}

export function findModel(models: readonly ModelUse[], provider: string, model: string): number {
  return models.findIndex((one) => one.provider === provider && one.model === model);
}

/** Computes the cost of what has no reported one, as far as prices are known. */
export function estimateCost(models: readonly ModelUse[]): number {
  return models.reduce((sum, { price, unpriced }) => (price == null ? sum : sum + costOfTokens(price, unpriced)), 0);
}
