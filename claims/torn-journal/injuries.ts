import type { Victim } from "./victim.ts";

/** One way to damage a victim. */
export interface Injury {
  /** The log with or without the index beside it, a row of the last three in the database, or elsewhere in the database. */
  readonly kind: "log cut" | "log flip" | "log alone" | "row flip" | "page flip" | "page cut";
  /** The byte that is changed, or the first that is cut off. */
  readonly at: number;
  /** The bit that is flipped; none when it is a cut. */
  readonly bit?: number;
}

const everyBit = [0, 1, 2, 3, 4, 5, 6, 7];

/** Any bit, but the same in every run. */
function seededBit(at: number): number {
  return (Math.imul(at + 1, 0x9e3779b1) >>> 29) & 7;
}

export function everyInjury({ killed, closed, ends, rows, page }: Victim): Injury[] {
  const injuries: Injury[] = [];
  const size = killed.log.byteLength;
  for (let at = 0; at < size; at++) {
    injuries.push({ kind: "log cut", at }, ...everyBit.map((bit) => ({ kind: "log flip" as const, at, bit })));
    if (at % 16 === 0 || ends.includes(at)) injuries.push({ kind: "log alone", at });
    if (at % 16 === 8) injuries.push({ kind: "log alone", at, bit: seededBit(at) });
  }
  for (let at = 0; at < closed.byteLength; at++) {
    // The id is the row's place among the others: without it, SQLite may not find those before it either.
    const isId = rows.some(({ from }) => at === from + 1);
    const inRow = !isId && rows.some(({ from, to }) => at >= from && at < to);
    if (inRow) injuries.push(...everyBit.map((bit) => ({ kind: "row flip" as const, at, bit })));
    else if (isId) injuries.push(...everyBit.map((bit) => ({ kind: "page flip" as const, at, bit })));
    else if (at % 2 === 0) injuries.push({ kind: "page flip", at, bit: seededBit(at) });
    if (at >= page.from && at < page.to) injuries.push({ kind: "page cut", at });
  }
  return injuries;
}
