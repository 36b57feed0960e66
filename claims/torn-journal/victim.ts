import { readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openSqliteLog, type Fence } from "@fairlead/journal";

/** A journal's files, as bytes: once as a killed process leaves them, once as one leaves them that has closed them. */
export interface Victim {
  readonly killed: { readonly database: Uint8Array; readonly log: Uint8Array; readonly index: Uint8Array };
  readonly closed: Uint8Array;
  /** All that was ever written to the session. */
  readonly events: readonly string[];
  /** For each of the last three frames, how many events stand before it. */
  readonly before: readonly number[];
  /** Where the log ended before the first of them, and after each of them. */
  readonly ends: readonly number[];
  /** Where the rows of the last three frames lie in the database, and its page that holds them. */
  readonly rows: readonly Range[];
  readonly page: Range;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export const session = "session";
const owner = "owner";

export async function writeVictim(file: string): Promise<Victim> {
  const events: string[] = [];
  let { epoch, fence } = await earlierFrames(file, events);
  const journal = await openSqliteLog({ file });
  const logBytes = () => statSync(`${file}-wal`).size;
  const before: number[] = [];
  // An empty log gets its header with its first frame.
  const ends = [32];
  for (let frame = 0; frame < 3; frame++) {
    before.push(events.length);
    fence = await journal.append(nextFrame(events, epoch, 1 + frame), fence);
    ends.push(logBytes());
  }
  const [database, log, index] = ["", "-wal", "-shm"].map((end) => readFileSync(file + end)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  await journal[Symbol.asyncDispose]();
  const closed = readFileSync(file);
  return { killed: { database, log, index }, closed, events, before, ends, ...placesOf(file, closed) };
}

/** What stands in the database already when the last three frames are written, and the log is new. */
async function earlierFrames(file: string, events: string[]): Promise<{ epoch: number; fence: Fence }> {
  await using journal = await openSqliteLog({ file });
  await journal.claim("another session", owner);
  let { epoch, fence } = await journal.claim(session, owner);
  for (let frame = 0; frame < 3; frame++) fence = await journal.append(nextFrame(events, epoch, 1 + frame), fence);
  return { epoch, fence };
}

function nextFrame(events: string[], epoch: number, count: number) {
  const first = events.length + 1;
  const texts = Array.from({ length: count }, (_, n) => `event ${first + n}`);
  events.push(...texts);
  return { session, epoch, first, events: texts.map((text) => Buffer.from(text)), owner };
}

/** Finds the last three rows by SQLite's file format: a leaf page of a table has its cells' places after its header. */
function placesOf(file: string, closed: Buffer): Pick<Victim, "rows" | "page"> {
  using database = new DatabaseSync(file, { readOnly: true });
  const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'frames'").get()?.["rootpage"]);
  const size = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  const page = { from: (root - 1) * size, to: root * size };
  if (closed[page.from] !== 13) throw new Error("The frames were meant to fit on one page");
  const cells = Array.from({ length: closed.readUInt16BE(page.from + 3) }, (_, n) => {
    const from = page.from + closed.readUInt16BE(page.from + 8 + 2 * n);
    // Two numbers of one byte each, for so small a row: the size of what follows, and the id.
    return { from, to: from + 2 + (closed[from] ?? 0) };
  });
  if (cells.some(({ from }) => (closed[from] ?? 255) > 127)) throw new Error("The rows were meant to be small");
  return { rows: cells.slice(-3), page };
}
