import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { LoggedSession, Tail } from "../event-log.ts";
import type { FrameRow } from "./frame-row.ts";

// Pages end after this many bytes: a reader holds no more than that, and no read transaction between two pages, which
// would keep SQLite from emptying its write-ahead log.
const pageBytes = 1 << 20;

// Hops from name to name through the index instead of walking over every frame.
const everySession = `
  WITH RECURSIVE names(name) AS (
    SELECT min(session) FROM frames
    UNION ALL
    SELECT (SELECT min(session) FROM frames WHERE session > name) FROM names WHERE name IS NOT NULL
  )
  SELECT session, epoch, last, fence, owner FROM names JOIN frames ON fence =
    (SELECT fence FROM frames WHERE session = name ORDER BY last DESC, epoch DESC LIMIT 1)
  ORDER BY fence DESC
`;

interface TailRow {
  readonly session: string;
  readonly epoch: number;
  readonly last: number;
  readonly fence: number;
  readonly owner: string;
}

/** The statements on the table of frames, over one connection. */
export class FrameTable {
  readonly #tail: StatementSync;
  readonly #insert: StatementSync;
  readonly #page: StatementSync;
  readonly #sessions: StatementSync;
  readonly #newest: StatementSync;
  readonly #since: StatementSync;

  constructor(database: DatabaseSync) {
    this.#tail = database.prepare(
      `SELECT session, epoch, last, fence, owner FROM frames WHERE session = ? ORDER BY last DESC, epoch DESC LIMIT 1`,
    );
    this.#insert = database.prepare(
      `INSERT INTO frames (session, epoch, first, last, count, owner, checksum, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#page = database.prepare(
      `SELECT session, epoch, first, count, owner, checksum, data FROM frames
       WHERE session = ? AND last > ? AND first <= ? AND count > 0 ORDER BY last, epoch`,
    );
    this.#sessions = database.prepare(everySession);
    this.#newest = database.prepare(`SELECT coalesce(max(fence), 0) AS fence FROM frames`);
    this.#since = database.prepare(`SELECT session, max(fence) AS fence FROM frames WHERE fence > ? GROUP BY session`);
  }

  tail(session: string): Tail {
    const row = this.#tail.get(session) as TailRow | undefined;
    return row === undefined ? { epoch: 0, last: 0, fence: 0n, owner: "" } : toTail(row);
  }

  /** Writes a frame and gives the tail that it makes. */
  insert(row: FrameRow): Tail {
    const { session, epoch, first, count, owner, checksum, data } = row;
    const last = first + count - 1;
    const { lastInsertRowid } = this.#insert.run(session, epoch, first, last, count, owner, checksum, data);
    return { epoch, last, fence: BigInt(lastInsertRowid), owner };
  }

  /** The next frames that hold events after a number and up to another; none when there are no more. */
  page(session: string, after: number, end: number): FrameRow[] {
    const rows: FrameRow[] = [];
    let bytes = 0;
    for (const found of this.#page.iterate(session, after, end)) {
      const row = found as unknown as FrameRow;
      rows.push(row);
      bytes += row.data.byteLength;
      if (bytes >= pageBytes) break;
    }
    return rows;
  }

  sessions(): LoggedSession[] {
    const rows = this.#sessions.all() as unknown as TailRow[];
    return rows.map((row) => ({ session: row.session, tail: toTail(row) }));
  }

  /** The fence of the newest frame of all sessions. */
  newest(): number {
    return Number(this.#newest.get()?.["fence"]);
  }

  /** The sessions that have grown since a fence, each with its newest one. */
  grownSince(fence: number): readonly Pick<TailRow, "session" | "fence">[] {
    return this.#since.all(fence) as unknown as TailRow[];
  }
}

function toTail({ epoch, last, fence, owner }: TailRow): Tail {
  return { epoch, last, fence: BigInt(fence), owner };
}
