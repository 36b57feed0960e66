import { formatDuration, formatMoney, formatTokens } from "@fairlead/api";
import { addTokenCounts, type EventOf, type TokenCounts } from "@fairlead/contract";
import type { Paint } from "./paint.ts";

type TurnOutcome = EventOf<"turn.ended">["outcome"];

/** Measures the duration and the usage of a turn. */
export class TurnMeter {
  #startedAt: number | null = null;
  #tokens: TokenCounts | null = null;
  #cost: number | null = null;

  start(at: string): void {
    this.#startedAt = Date.parse(at);
    this.#tokens = null;
    this.#cost = null;
  }

  recordUsage({ tokens, cost }: EventOf<"usage.reported">): void {
    this.#tokens = this.#tokens === null ? tokens : addTokenCounts(this.#tokens, tokens);
    if (cost !== null) this.#cost = (this.#cost ?? 0) + cost.amount;
  }

  /** Renders the summary of a turn: `completed · 1.9 s · 1,234 in, 56 out · $0.0123`. */
  summaryLine(outcome: TurnOutcome, at: string, paint: Paint): string {
    const parts = [
      ...(this.#startedAt === null ? [] : [formatDuration(Date.parse(at) - this.#startedAt)]),
      ...(this.#tokens === null ? [] : [formatTokens(this.#tokens)]),
      ...(this.#cost === null ? [] : [formatMoney(this.#cost)]),
    ];
    return paint(outcomeColors[outcome], `— ${outcome}`) + paint("dim", parts.map((part) => ` · ${part}`).join(""));
  }
}

const outcomeColors = { completed: "green", interrupted: "yellow", limited: "yellow", failed: "red" } as const;
