import type { Delta, Event } from "@fairlead/contract";

/** The limits for judging an agent on a service that costs money. */
export interface SpendingCap {
  /** US dollars. Applies if the agent reports its cost. */
  readonly dollars: number;
  /** All tokens together. Limits agents that report no cost. */
  readonly tokens: number;
}

/** Adds up reported usage and compares it with a cap. */
export class Spending {
  readonly #cap: SpendingCap;
  #dollars = 0;
  #tokens = 0;

  constructor(cap: SpendingCap) {
    this.#cap = cap;
  }

  add(outputs: readonly (Event | Delta)[]): void {
    for (const output of outputs) {
      if (!("body" in output) || output.body.type !== "usage.reported") continue;
      const { tokens, cost } = output.body;
      this.#dollars += cost?.amount ?? 0;
      this.#tokens += tokens.uncached + tokens.cacheRead + tokens.cacheWrite + tokens.output;
    }
  }

  /** The reason why no further scenario may run, or null. */
  get exhaustedReason(): string | null {
    if (this.#dollars >= this.#cap.dollars) return `the cap of $${this.#cap.dollars} is reached`;
    return this.#tokens >= this.#cap.tokens ? `the cap of ${this.#cap.tokens} tokens is reached` : null;
  }

  get total(): string {
    return `$${this.#dollars.toFixed(4)}, ${this.#tokens} tokens`;
  }
}
