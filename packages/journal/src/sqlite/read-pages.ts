import { setImmediate as nextTurn } from "node:timers/promises";
import type { Frame } from "../event-log.ts";
import { damaged, follow, placeBehind, type Place } from "./chain.ts";
import { isDamage } from "./failure.ts";
import type { StoredFrame } from "./frame-row.ts";
import type { FrameTable } from "./frame-table.ts";
import { patiently } from "./patiently.ts";

// A page is fetched in one stroke, since a step of its own for each row would take longer than the row. Pages grow while
// they are small: a reader should hold no more than that, and hold no read transaction between two pages, which would
// keep SQLite from emptying its write-ahead log.
const pageBytes = 1 << 20;
const rows = { first: 2, most: 1024 };

/** Some frames that follow each other, claims too, and the place after them. */
export interface Page {
  readonly frames: readonly Frame[];
  readonly place: Place;
}

/** The frames after a place as far as they go now; before damage, all that stands before it. */
export async function* readPages(table: FrameTable, session: string, from: Place): AsyncGenerator<Page, void> {
  let place = from;
  let count = rows.first;
  while (true) {
    const page = await patiently(() => pageOrEnd(table, session, place, count));
    if (page.length === 0) return;
    const { frames, largest, damage, ...end } = check(session, page, place);
    place = end.place;
    yield { frames, place };
    if (damage !== undefined) throw damage;
    count = Math.min(2 * page.length, rows.most, Math.ceil(pageBytes / (largest + 1)));
    // A long history must not hold up the appends of others.
    await nextTurn();
  }
}

function check(
  session: string,
  page: readonly StoredFrame[],
  from: Place,
): Page & { readonly largest: number; readonly damage?: unknown } {
  const frames: Frame[] = [];
  let place = from;
  let largest = 0;
  try {
    for (const row of page) {
      frames.push(follow(session, place, row));
      place = placeBehind(row);
      largest = Math.max(largest, row.data.byteLength);
    }
    return { frames, place, largest };
  } catch (damage) {
    return { frames, place, largest, damage };
  }
}

/** The next page. It is empty only where the session ends, and not where the rest has merely become invisible. */
function pageOrEnd(table: FrameTable, session: string, place: Place, count: number): StoredFrame[] {
  const page = pageBeforeDamage(table, session, place, count);
  if (page.length > 0 || table.tail(session).last <= place.last) return page;
  // Somebody may have appended between the two looks. What still cannot be found now is lost.
  const later = pageBeforeDamage(table, session, place, count);
  if (later.length === 0) throw damaged(session, place, "what was written here cannot be found");
  return later;
}

/** A page; where SQLite itself stumbles over it, only the next frame, so that what stands before the damage is read. */
function pageBeforeDamage(table: FrameTable, session: string, place: Place, count: number): StoredFrame[] {
  try {
    return table.page(session, place, count);
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (count > 1) return pageBeforeDamage(table, session, place, 1);
    throw damaged(session, place, "the file cannot be read here", error);
  }
}
