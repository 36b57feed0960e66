import { readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog, type Fence } from "@fairlead/journal";

/** A journal's files as bytes: as a killed process leaves them, and as a process leaves them that closed them. */
export interface SampleJournal {
  readonly killed: { readonly database: Uint8Array; readonly log: Uint8Array; readonly index: Uint8Array };
  readonly closed: Uint8Array;
  /** Everything that was written to the session. */
  readonly events: readonly string[];
  /** For each of the last three batches, the number of earlier events. */
  readonly before: readonly number[];
  /** The log's end before the first of them, and after each. */
  readonly ends: readonly number[];
  /** The positions of the last three rows in the database, and their page. */
  readonly rows: readonly ByteRange[];
  readonly page: ByteRange;
}

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export const session = "session";
const owner = "owner";

export async function writeSampleJournal(file: string): Promise<SampleJournal> {
  const events: string[] = [];
  let { epoch, fence } = await writeEarlierBatches(file, events);
  const journal = await openSqliteLog({ file });
  const logBytes = () => statSync(`${file}-wal`).size;
  const before: number[] = [];
  // An empty log gets its header with its first batch.
  const ends = [32];
  for (let batch = 0; batch < 3; batch++) {
    before.push(events.length);
    fence = await journal.append(createNextBatch(events, epoch, 1 + batch), fence);
    ends.push(logBytes());
  }
  const [database, log, index] = ["", "-wal", "-shm"].map((end) => readFileSync(file + end)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  await journal[Symbol.asyncDispose]();
  const closed = readFileSync(file);
  return { killed: { database, log, index }, closed, events, before, ends, ...locateRows(file, closed) };
}

/** The events in the database before the last three batches are written to a new log. */
async function writeEarlierBatches(file: string, events: string[]): Promise<{ epoch: number; fence: Fence }> {
  await using journal = await openSqliteLog({ file });
  await journal.claim("another session", owner);
  let { epoch, fence } = await journal.claim(session, owner);
  for (let batch = 0; batch < 3; batch++)
    fence = await journal.append(createNextBatch(events, epoch, 1 + batch), fence);
  return { epoch, fence };
}

function createNextBatch(events: string[], epoch: number, count: number) {
  const first = events.length + 1;
  const texts = Array.from({ length: count }, (_, n) => `event ${first + n}`);
  events.push(...texts);
  return { session, epoch, first, events: texts.map((text) => Buffer.from(text)), owner };
}

/** Finds the last three rows by SQLite's file format: a table leaf page has its cell pointers after its header. */
function locateRows(file: string, closed: Buffer): Pick<SampleJournal, "rows" | "page"> {
  using database = new DatabaseSync(file, { readOnly: true });
  const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'frames'").get()?.["rootpage"]);
  const size = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  const page = { from: (root - 1) * size, to: root * size };
  if (closed[page.from] !== 13) throw new Error("The frames were meant to fit on one page");
  const cells = Array.from({ length: closed.readUInt16BE(page.from + 3) }, (_, n) => {
    const from = page.from + closed.readUInt16BE(page.from + 8 + 2 * n);
    // Two one-byte numbers for a small row: the payload size and the id.
    return { from, to: from + 2 + (closed[from] ?? 0) };
  });
  if (cells.some(({ from }) => (closed[from] ?? 255) > 127)) throw new Error("The rows were meant to be small");
  return { rows: cells.slice(-3), page };
}
