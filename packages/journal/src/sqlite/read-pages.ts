import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventBatch } from "../event-log.ts";
import { createDamageError, verifyLink, advancePosition, type ChainPosition } from "./chain.ts";
import { isDamage } from "./sqlite-errors.ts";
import type { StoredBatch } from "./batch-row.ts";
import type { BatchTable } from "./batch-table.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";

// A page is fetched in one call, because stepping through single rows takes longer than reading them. Pages grow up to
// this size, which limits the memory of a reader. No read transaction stays open between two pages: it would keep SQLite
// from checkpointing its write-ahead log.
const pageBytes = 1 << 20;
const rowsPerPage = { initial: 2, max: 1024 };

/** Consecutive batches, including claims, and the position after them. */
export interface BatchPage {
  readonly batches: readonly EventBatch[];
  readonly position: ChainPosition;
}

/** Reads the existing batches after a position. If the chain is damaged, yields all batches before the damage, then throws. */
export async function* readPages(
  table: BatchTable,
  session: string,
  start: ChainPosition,
): AsyncGenerator<BatchPage, void> {
  let position = start;
  let count = rowsPerPage.initial;
  while (true) {
    const page = await retryWhileBusy(() => readPageOrEnd(table, session, position, count));
    if (page.length === 0) return;
    const { batches, largest, damage, ...verified } = verifyPage(session, page, position);
    position = verified.position;
    yield { batches, position };
    if (damage !== undefined) throw damage;
    count = Math.min(2 * page.length, rowsPerPage.max, Math.ceil(pageBytes / (largest + 1)));
    // Reading a long history must not delay the appends of other sessions.
    await nextTurn();
  }
}

function verifyPage(
  session: string,
  page: readonly StoredBatch[],
  start: ChainPosition,
): BatchPage & { readonly largest: number; readonly damage?: unknown } {
  const batches: EventBatch[] = [];
  let position = start;
  let largest = 0;
  try {
    for (const row of page) {
      batches.push(verifyLink(session, position, row));
      position = advancePosition(row);
      largest = Math.max(largest, row.data.byteLength);
    }
    return { batches, position, largest };
  } catch (damage) {
    return { batches, position, largest, damage };
  }
}

/** Reads the next page. Throws instead of returning an empty page when the tail shows that batches are missing. */
function readPageOrEnd(table: BatchTable, session: string, position: ChainPosition, count: number): StoredBatch[] {
  const page = readPageBeforeDamage(table, session, position, count);
  if (page.length > 0 || table.tail(session).last <= position.last) return page;
  // A writer may have appended between the two queries. Batches that the second read does not find either are lost.
  const secondRead = readPageBeforeDamage(table, session, position, count);
  if (secondRead.length === 0) throw createDamageError(session, position, "a batch that was written cannot be found");
  return secondRead;
}

/** Reads a page. If SQLite fails on it, reads single batches, so that all batches before the damage are read. */
function readPageBeforeDamage(
  table: BatchTable,
  session: string,
  position: ChainPosition,
  count: number,
): StoredBatch[] {
  try {
    return table.readPage(session, position, count);
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (count > 1) return readPageBeforeDamage(table, session, position, 1);
    throw createDamageError(session, position, "the file cannot be read here", error);
  }
}
