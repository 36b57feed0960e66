import type { LimitKind, SpendingLimits } from "@fairlead/contract";
import { InvalidArgumentError } from "commander";

interface LimitUnit {
  readonly kind: LimitKind;
  readonly factor: number;
}

const units: ReadonlyMap<string, LimitUnit> = new Map([
  ["usd", { kind: "usd", factor: 1 }],
  ["tokens", { kind: "tokens", factor: 1 }],
  ["k", { kind: "tokens", factor: 1000 }],
  ["s", { kind: "seconds", factor: 1 }],
  ["m", { kind: "seconds", factor: 60 }],
  ["h", { kind: "seconds", factor: 3600 }],
  ["d", { kind: "seconds", factor: 86_400 }],
]);

const expected = "Expected limits such as 2usd,400k,30m: US dollars, thousands of tokens, minutes.";

/**
 * Parses limits: amounts with units, separated by commas. `usd`; `tokens` or `k` for thousands of them; `s`, `m`, `h` or `d`
 * for time. Each kind occurs once.
 */
export function parseLimits(text: string): SpendingLimits {
  const limits: Partial<Record<LimitKind, number>> = {};
  for (const part of text.split(",")) {
    const { kind, amount } = parseLimit(part.trim());
    if (limits[kind] !== undefined) throw new InvalidArgumentError(`"${text}" limits ${kind} twice.`);
    limits[kind] = amount;
  }
  return limits;
}

function parseLimit(text: string): { readonly kind: LimitKind; readonly amount: number } {
  const [, count = "", name = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  if (count === "") throw new InvalidArgumentError(`"${text}" is not a limit. ${expected}`);
  if (name === "") throw new InvalidArgumentError(`"${text}" has no unit. ${expected}`);
  // A capital M could be read as millions of tokens or as minutes.
  const unit = units.get(name === "M" ? "" : name.toLowerCase());
  if (unit === undefined) {
    const known = [...units.keys()].join(", ");
    throw new InvalidArgumentError(`"${text}" has the unknown unit "${name}". Units: ${known}.`);
  }
  const { kind, factor } = unit;
  const amount = kind === "tokens" ? Math.round(Number(count) * factor) : Number(count) * factor;
  if (amount <= 0) throw new InvalidArgumentError(`"${text}" allows nothing. A limit is greater than 0.`);
  return { kind, amount };
}
