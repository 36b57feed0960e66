import type { TokenCounts } from "@fairlead/contract";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a duration: `420 ms`, `1.9 s`, `2 min 5 s`, `1 h 3 min`. */
export function formatDuration(milliseconds: number): string {
  const elapsed = Math.max(0, milliseconds);
  if (elapsed < second) return `${Math.round(elapsed)} ms`;
  const seconds = Math.round(elapsed / second);
  if (elapsed < minute) return `${(elapsed / second).toFixed(1)} s`;
  if (elapsed < hour) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(elapsed / hour)} h ${Math.floor((elapsed % hour) / minute)} min`;
}

/** Formats an age in one unit. */
export function formatAge(milliseconds: number): string {
  const elapsed = Math.max(0, milliseconds);
  if (elapsed < minute) return `${Math.floor(elapsed / second)} s`;
  if (elapsed < hour) return `${Math.floor(elapsed / minute)} min`;
  if (elapsed < 2 * day) return `${Math.floor(elapsed / hour)} h`;
  return `${Math.floor(elapsed / day)} d`;
}

/** Formats US dollars. Amounts below one dollar have four digits, so that small ones differ. */
export function formatMoney(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && Math.abs(amount) < 1 ? 4 : 2)}`;
}

/** Formats a reported cost and an estimate, which are never added: `$0.10 + ~$0.05`. */
export function formatCosts(cost: number | null, estimate: number | null): string {
  const parts = [
    ...(cost === null ? [] : [formatMoney(cost)]),
    ...(estimate === null ? [] : [`~${formatMoney(estimate)}`]),
  ];
  return parts.length === 0 ? "-" : parts.join(" + ");
}

/** Formats token counts: `12,345 in (9,000 cached), 456 out`. */
export function formatTokens({ uncached, cacheRead, cacheWrite, output }: TokenCounts): string {
  const cached = cacheRead > 0 ? ` (${groupDigits(cacheRead)} cached)` : "";
  return `${groupDigits(uncached + cacheRead + cacheWrite)} in${cached}, ${groupDigits(output)} out`;
}

/** Formats a count with separators: `12,345`. */
export function groupDigits(count: number): string {
  return count.toLocaleString("en-GB");
}
