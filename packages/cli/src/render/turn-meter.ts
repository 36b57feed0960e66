import type { EventOf, Tokens } from "@fairlead/contract";
import { addTokens, duration, money, tokenCount } from "./amounts.ts";
import type { Paint } from "./paint.ts";

type Outcome = EventOf<"turn.ended">["outcome"];

/** Measures a turn: how long it took and what it used. */
export class TurnMeter {
  #startedAt: number | null = null;
  #tokens: Tokens | null = null;
  #cost: number | null = null;

  start(at: string): void {
    this.#startedAt = Date.parse(at);
    this.#tokens = null;
    this.#cost = null;
  }

  use({ tokens, cost }: EventOf<"usage.reported">): void {
    this.#tokens = this.#tokens === null ? tokens : addTokens(this.#tokens, tokens);
    if (cost !== null) this.#cost = (this.#cost ?? 0) + cost.amount;
  }

  /** The line that closes a turn: `completed · 1.9 s · 1,234 in, 56 out · $0.0123`. */
  line(outcome: Outcome, at: string, paint: Paint): string {
    const parts = [
      ...(this.#startedAt === null ? [] : [duration(Date.parse(at) - this.#startedAt)]),
      ...(this.#tokens === null ? [] : [tokenCount(this.#tokens)]),
      ...(this.#cost === null ? [] : [money(this.#cost)]),
    ];
    return paint(colours[outcome], `— ${outcome}`) + paint("dim", parts.map((part) => ` · ${part}`).join(""));
  }
}

const colours = { completed: "green", interrupted: "yellow", limited: "yellow", failed: "red" } as const;
