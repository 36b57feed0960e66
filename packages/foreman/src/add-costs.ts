import type { Fairlead, RunView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

/** Costs of ended runs. They do not change. */
const costsOfEnded = new WeakMap<RunView, RunView>();

/** Adds what the sessions of a run cost so far: reported costs, and estimates where none were reported. */
export async function addCosts(fairlead: Pick<Fairlead, "usage">, view: RunView): Promise<RunView> {
  const known = costsOfEnded.get(view);
  if (known !== undefined) return known;
  const costs = await Promise.all(view.parts.map(({ session }) => readCost(fairlead, session)));
  const parts = view.parts.map((part, index) => ({ ...part, usd: costs[index] ?? null }));
  const sum = costs.reduce<number | null>((total, cost) => (cost === null ? total : (total ?? 0) + cost), null);
  const result = { ...view, parts, usd: sum ?? view.usd };
  if (view.outcome !== null) costsOfEnded.set(view, result);
  return result;
}

async function readCost(fairlead: Pick<Fairlead, "usage">, session: string): Promise<number | null> {
  try {
    const usage = await fairlead.usage(session);
    const amounts = usage
      .flatMap(({ cost, estimate }) => [cost, estimate?.amount ?? null])
      .filter((one) => one !== null);
    return amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount, 0);
  } catch (error) {
    if (FairleadError.is(error, "session-not-found")) return null; // a person deleted it
    throw error;
  }
}
