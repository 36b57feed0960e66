import { InvalidArgumentError } from "commander";

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, from what people type: `90s`, `10m`, `2h`, `30d`; a number alone is in seconds. */
export function durationOf(typed: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(typed) ?? [];
  if (count === "") throw new InvalidArgumentError("It must be a time, as in 90s, 10m, 2h or 30d.");
  return Number(count) * (units[unit] ?? 0);
}
