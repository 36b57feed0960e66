import type { UsageView } from "@fairlead/api";
import { addTokenCounts, type Event, zeroTokenCounts } from "@fairlead/contract";

/** From most to least certain. */
const provenances = ["reported", "derived", "estimated", "unknown"] as const satisfies UsageView["provenance"][];

/** The usage of one session by model. */
export class UsageTotals {
  readonly #views = new Map<string, UsageView>();

  get views(): readonly UsageView[] {
    return [...this.#views.values()];
  }

  add({ session, agent, body }: Event): void {
    if (body.type !== "usage.reported") return;
    const { provider, model, tokens, provenance } = body;
    const cost = body.cost?.amount ?? null;
    const key = JSON.stringify([provider, model]);
    const total = this.#views.get(key) ?? {
      session,
      agent,
      provider,
      model,
      tokens: zeroTokenCounts,
      cost: null,
      provenance,
    };
    this.#views.set(key, {
      ...total,
      tokens: addTokenCounts(total.tokens, tokens),
      cost: cost === null ? total.cost : (total.cost ?? 0) + cost,
      provenance: lessCertain(total.provenance, provenance),
    });
  }
}

function lessCertain(one: UsageView["provenance"], other: UsageView["provenance"]): UsageView["provenance"] {
  return provenances.indexOf(one) > provenances.indexOf(other) ? one : other;
}
