import type { Tokens } from "@fairlead/contract";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something took: `420 ms`, `1.9 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(milliseconds: number): string {
  const passed = Math.max(0, milliseconds);
  if (passed < second) return `${Math.round(passed)} ms`;
  const seconds = Math.round(passed / second);
  if (passed < minute) return `${(passed / second).toFixed(1)} s`;
  if (passed < hour) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(passed / hour)} h ${Math.floor((passed % hour) / minute)} min`;
}

/** How long ago something was, in one unit. */
export function age(milliseconds: number): string {
  const passed = Math.max(0, milliseconds);
  if (passed < minute) return `${Math.floor(passed / second)} s`;
  if (passed < hour) return `${Math.floor(passed / minute)} min`;
  if (passed < 2 * day) return `${Math.floor(passed / hour)} h`;
  return `${Math.floor(passed / day)} d`;
}

/** Money in US dollars; small amounts keep the digits that tell them apart. */
export function money(amount: number): string {
  return `$${amount.toFixed(amount !== 0 && Math.abs(amount) < 1 ? 4 : 2)}`;
}

/** Tokens as `12,345 in (9,000 cached), 456 out`. */
export function tokenCount({ uncached, cacheRead, cacheWrite, output }: Tokens): string {
  const cached = cacheRead > 0 ? ` (${grouped(cacheRead)} cached)` : "";
  return `${grouped(uncached + cacheRead + cacheWrite)} in${cached}, ${grouped(output)} out`;
}

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    uncached: one.uncached + other.uncached,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}

function grouped(count: number): string {
  return count.toLocaleString("en-GB");
}
