import { addTokenCounts, type Event, type TokenCounts } from "@fairlead/contract";
import { HourCells } from "./hour-cells.ts";
import { lessCertainProvenance, type Provenance, provenances } from "./usage-totals.ts";

/** The usage of one model by one session in one hour. */
export interface HourlyUsage {
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  /** The beginning of the hour in UTC, in milliseconds since 1970. Of old usage: that of the day. */
  readonly start: number;
  /** The number of turns whose first report of the model is in the hour. */
  readonly turns: number;
  readonly tokens: TokenCounts;
  /** In US dollars; null if no report has one. */
  readonly cost: number | null;
  /** The least certain provenance of all reports in the sum. */
  readonly provenance: Provenance;
}

type Cell = readonly [
  hour: number,
  model: number,
  turns: number,
  uncached: number,
  cacheRead: number,
  cacheWrite: number,
  output: number,
  reasoning: number,
  cost: number | null,
  provenance: number,
];

/** A model, and the last turn that reported its usage. */
type Model = readonly [agent: string, provider: string, model: string, turn: string | null];

export interface UsageHistoryContent {
  readonly models: readonly Model[];
  readonly hours: readonly Cell[];
  readonly days: readonly Cell[];
}

const hourMs = 3_600_000;

/** The usage of one session by hour and model. */
export class UsageHistory {
  readonly #models: Model[];
  readonly #indexes: Map<string, number>;
  readonly #cells: HourCells<Cell>;

  constructor({ models, hours, days }: UsageHistoryContent = { models: [], hours: [], days: [] }) {
    this.#models = [...models];
    this.#indexes = new Map(models.map(([, provider, model], index) => [modelKey(provider, model), index]));
    this.#cells = new HourCells(hours, days, sumCells);
  }

  get content(): UsageHistoryContent {
    return { models: [...this.#models], hours: this.#cells.hours, days: this.#cells.days };
  }

  /** The sums, the oldest first as far as the clock did not go back. */
  *sums(): Generator<HourlyUsage> {
    for (const cell of this.#cells) {
      const [hour, index, turns, uncached, cacheRead, cacheWrite, output, reasoning, cost, certainty] = cell;
      const [agent = "", provider = "", model = ""] = this.#models[index] ?? [];
      const tokens = { uncached, cacheRead, cacheWrite, output, reasoning };
      const provenance = provenances[certainty] ?? "unknown";
      yield { agent, provider, model, start: hour * hourMs, turns, tokens, cost, provenance };
    }
  }

  add({ agent, turn, occurredAt, body }: Pick<Event, "agent" | "turn" | "occurredAt" | "body">): void {
    if (body.type !== "usage.reported") return;
    const { provider, model, tokens } = body;
    const key = modelKey(provider, model);
    const index = this.#indexes.get(key) ?? this.#models.length;
    this.#indexes.set(key, index);
    const isNewTurn = turn !== null && turn !== this.#models[index]?.[3];
    this.#models[index] = [agent, provider, model, turn ?? this.#models[index]?.[3] ?? null];
    const { uncached, cacheRead, cacheWrite, output, reasoning } = tokens;
    const certainty = provenances.indexOf(body.provenance);
    const hour = Math.floor(Date.parse(occurredAt) / hourMs);
    const counts = [uncached, cacheRead, cacheWrite, output, reasoning] as const;
    this.#cells.add([hour, index, isNewTurn ? 1 : 0, ...counts, body.cost?.amount ?? null, certainty]);
  }
}

function sumCells(one: Cell, other: Cell): Cell {
  const [hour, model, turns, , , , , , cost, certainty] = one;
  const { uncached, cacheRead, cacheWrite, output, reasoning } = addTokenCounts(tokensOf(one), tokensOf(other));
  const sumOfCosts = cost === null && other[8] === null ? null : (cost ?? 0) + (other[8] ?? 0);
  const least = lessCertainProvenance(provenances[certainty] ?? "unknown", provenances[other[9]] ?? "unknown");
  const counts = [uncached, cacheRead, cacheWrite, output, reasoning] as const;
  return [hour, model, turns + other[2], ...counts, sumOfCosts, provenances.indexOf(least)];
}

function tokensOf([, , , uncached, cacheRead, cacheWrite, output, reasoning]: Cell): TokenCounts {
  return { uncached, cacheRead, cacheWrite, output, reasoning };
}

function modelKey(provider: string, model: string): string {
  return JSON.stringify([provider, model]);
}
