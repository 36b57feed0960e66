const units = { d: 24 * 3_600_000, h: 3_600_000, m: 60_000, s: 1000 } as const;
const pattern = /^(\d{1,6}(?:\.\d{1,3})?)([smhd])$/;

/** Whether a text is a number with a unit: s, m, h or d. */
export function isPlanDuration(text: string): boolean {
  return pattern.test(text);
}

/** Returns the milliseconds of a duration such as `10m`. */
export function parsePlanDuration(text: string): number {
  const [, amount = "", unit = "s"] = pattern.exec(text) ?? [];
  return Math.round(Number(amount) * units[unit as keyof typeof units]);
}

/** Returns the shortest text for a duration; a number of milliseconds that no unit divides is returned as it is. */
export function formatPlanDuration(milliseconds: number): string | number {
  for (const [unit, size] of Object.entries(units))
    if (milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  return milliseconds;
}
