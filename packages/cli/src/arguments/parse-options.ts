import { InvalidArgumentError } from "commander";

const millisecondsPerUnit: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration into milliseconds: `90s`, `10m`, `2h`, `30d`. Refuses a number without a unit. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  if (count === "") throw new InvalidArgumentError("Expected a number with a unit, such as 90s, 10m, 2h or 30d.");
  return Number(count) * (millisecondsPerUnit[unit] ?? 0);
}

/** Parses a whole number that is at least `minimum`. */
export function parseInteger(text: string, minimum: 0 | 1): number {
  if (!/^\d+$/.test(text) || (minimum === 1 && text.startsWith("0"))) {
    throw new InvalidArgumentError(`Expected a whole number of at least ${minimum}.`);
  }
  return Number(text);
}

/** Collects the values of an option that may be repeated. */
export function collectValues(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}
