import { addTokenCounts, type Event, type EventOf, type TokenCounts, zeroTokenCounts } from "@fairlead/contract";

/** The usage of one model by one session. */
export interface SessionUsage {
  readonly session: string;
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  readonly tokens: TokenCounts;
  /** The part of the tokens whose cost is not reported. */
  readonly unpriced: TokenCounts;
  /** In US dollars; null if no report has one. */
  readonly cost: number | null;
  /** The least certain provenance of all reports in the sum. */
  readonly provenance: Provenance;
}

export type Provenance = EventOf<"usage.reported">["provenance"];

/** From most to least certain. */
export const provenances = ["reported", "derived", "estimated", "unknown"] as const satisfies Provenance[];

/** The usage of one session by model. */
export class UsageTotals {
  readonly #totals: Map<string, SessionUsage>;

  constructor(totals: readonly SessionUsage[] = []) {
    this.#totals = new Map(totals.map((total) => [keyOf(total), total]));
  }

  get totals(): readonly SessionUsage[] {
    return [...this.#totals.values()];
  }

  add({ session, agent, body }: Pick<Event, "session" | "agent" | "body">): void {
    if (body.type !== "usage.reported") return;
    const { provider, model, tokens, provenance } = body;
    const cost = body.cost?.amount ?? null;
    const total = this.#totals.get(keyOf(body)) ?? {
      session,
      agent,
      provider,
      model,
      tokens: zeroTokenCounts,
      unpriced: zeroTokenCounts,
      cost: null,
      provenance,
    };
    this.#totals.set(keyOf(body), {
      ...total,
      tokens: addTokenCounts(total.tokens, tokens),
      // A cost is also that of the reports before it without one.
      unpriced: cost === null ? addTokenCounts(total.unpriced, tokens) : zeroTokenCounts,
      cost: cost === null ? total.cost : (total.cost ?? 0) + cost,
      provenance: lessCertainProvenance(total.provenance, provenance),
    });
  }
}

function keyOf({ provider, model }: Pick<SessionUsage, "provider" | "model">): string {
  return JSON.stringify([provider, model]);
}

/** Returns the less certain of two provenances. */
export function lessCertainProvenance(one: Provenance, other: Provenance): Provenance {
  return provenances.indexOf(one) > provenances.indexOf(other) ? one : other;
}
