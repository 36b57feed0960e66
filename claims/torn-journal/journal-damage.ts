import type { SampleJournal } from "./sample-journal.ts";

/** One way to damage a sample journal. */
export interface JournalDamage {
  /** The log with or without its index, one of the last three rows in the database, or another place in the database. */
  readonly kind: "log cut" | "log flip" | "log alone" | "row flip" | "page flip" | "page cut";
  /** The changed byte, or the first truncated one. */
  readonly at: number;
  /** The flipped bit; none for a truncation. */
  readonly bit?: number;
}

const everyBit = [0, 1, 2, 3, 4, 5, 6, 7];

/** An arbitrary bit, the same in every run. */
function seededBit(at: number): number {
  return (Math.imul(at + 1, 0x9e3779b1) >>> 29) & 7;
}

export function listDamage({ killed, closed, ends, rows, page }: SampleJournal): JournalDamage[] {
  const damages: JournalDamage[] = [];
  const size = killed.log.byteLength;
  for (let at = 0; at < size; at++) {
    damages.push({ kind: "log cut", at }, ...everyBit.map((bit) => ({ kind: "log flip" as const, at, bit })));
    if (at % 16 === 0 || ends.includes(at)) damages.push({ kind: "log alone", at });
    if (at % 16 === 8) damages.push({ kind: "log alone", at, bit: seededBit(at) });
  }
  for (let at = 0; at < closed.byteLength; at++) {
    // The id is the row's key: without it SQLite may not find earlier rows either.
    const isId = rows.some(({ from }) => at === from + 1);
    const inRow = !isId && rows.some(({ from, to }) => at >= from && at < to);
    if (inRow) damages.push(...everyBit.map((bit) => ({ kind: "row flip" as const, at, bit })));
    else if (isId) damages.push(...everyBit.map((bit) => ({ kind: "page flip" as const, at, bit })));
    else if (at % 2 === 0) damages.push({ kind: "page flip", at, bit: seededBit(at) });
    if (at >= page.from && at < page.to) damages.push({ kind: "page cut", at });
  }
  return damages;
}
