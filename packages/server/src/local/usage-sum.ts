import type { UsageView } from "@fairlead/api";
import type { Event, Tokens } from "@fairlead/contract";

/** From what is known for certain to what nobody knows. */
const provenances = ["reported", "derived", "estimated", "unknown"] as const satisfies UsageView["provenance"][];

/** What one session has used, by model. */
export class UsageSum {
  readonly #views = new Map<string, UsageView>();

  get views(): readonly UsageView[] {
    return [...this.#views.values()];
  }

  add({ session, agent: agent, body }: Event): void {
    if (body.type !== "usage.reported") return;
    const { provider, model, tokens, provenance } = body;
    const cost = body.cost?.amount ?? null;
    const key = JSON.stringify([provider, model]);
    const sum = this.#views.get(key) ?? { session, agent, provider, model, tokens: none, cost: null, provenance };
    this.#views.set(key, {
      ...sum,
      tokens: plus(sum.tokens, tokens),
      cost: cost === null ? sum.cost : (sum.cost ?? 0) + cost,
      provenance: weaker(sum.provenance, provenance),
    });
  }
}

const none: Tokens = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

function plus(one: Tokens, other: Tokens): Tokens {
  return {
    uncached: one.uncached + other.uncached,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}

function weaker(one: UsageView["provenance"], other: UsageView["provenance"]): UsageView["provenance"] {
  return provenances.indexOf(one) > provenances.indexOf(other) ? one : other;
}
