import type { Delta, Event } from "@fairlead/contract";

/** What may be spent while an agent is judged on a service that costs money. */
export interface Cap {
  /** US dollars, where the agent tells what it costs. */
  readonly dollars: number;
  /** Tokens in all, where it does not. */
  readonly tokens: number;
}

/** Adds up what was spent. */
export class Spending {
  readonly #cap: Cap;
  #dollars = 0;
  #tokens = 0;

  constructor(cap: Cap) {
    this.#cap = cap;
  }

  add(told: readonly (Event | Delta)[]): void {
    for (const one of told) {
      if (!("body" in one) || one.body.type !== "usage.reported") continue;
      const { tokens, cost } = one.body;
      this.#dollars += cost?.amount ?? 0;
      this.#tokens += tokens.uncached + tokens.cacheRead + tokens.cacheWrite + tokens.output;
    }
  }

  /** Why nothing more may be started, or null. */
  get exhausted(): string | null {
    if (this.#dollars >= this.#cap.dollars) return `the cap of $${this.#cap.dollars} is reached`;
    return this.#tokens >= this.#cap.tokens ? `the cap of ${this.#cap.tokens} tokens is reached` : null;
  }

  get total(): string {
    return `$${this.#dollars.toFixed(4)}, ${this.#tokens} tokens`;
  }
}
