import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Tail } from "../event-log.ts";
import { damaged, type Place } from "./chain.ts";
import { toFence } from "./fence.ts";
import { toFrame, type FrameRow } from "./frame-row.ts";

// Hops from name to name through the index instead of walking over every frame. A session that only one of the two
// knows is listed too, so that it is found to be damaged rather than forgotten.
const everySession = `
  WITH RECURSIVE names(name) AS (
    SELECT min(session) FROM frames
    UNION ALL
    SELECT (SELECT min(session) FROM frames WHERE session > name) FROM names WHERE name IS NOT NULL
  )
  SELECT coalesce(name, session) AS session FROM names FULL JOIN heads ON session = name
  WHERE coalesce(name, session) IS NOT NULL ORDER BY id DESC
`;

const newestOf = `SELECT id FROM frames WHERE session = ? ORDER BY last DESC, epoch DESC LIMIT 1`;

/** The newest frame and what else speaks of it; all is null for a session that nobody knows. */
interface End extends FrameRow {
  readonly id: number | null;
  readonly head: number | null;
  readonly newest: number | null;
}

/** The statements on the table of frames, over one connection. */
export class FrameTable {
  readonly #end: StatementSync;
  readonly #insert: StatementSync;
  readonly #page: StatementSync;
  readonly #sessions: StatementSync;
  readonly #newest: StatementSync;
  readonly #since: StatementSync;

  constructor(database: DatabaseSync) {
    this.#end = database.prepare(
      `SELECT frames.*, head, newest
       FROM (SELECT (SELECT id FROM heads WHERE session = ?) AS head, (${newestOf}) AS newest)
       LEFT JOIN frames ON frames.id = newest`,
    );
    this.#insert = database.prepare(
      `INSERT INTO frames (session, epoch, first, last, count, owner, previous, checksum, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#page = database.prepare(
      `SELECT session, epoch, first, last, count, owner, previous, checksum, data FROM frames
       WHERE session = ? AND (last, epoch) > (?, ?) ORDER BY last, epoch LIMIT ?`,
    );
    this.#sessions = database.prepare(everySession);
    this.#newest = database.prepare(`SELECT coalesce(max(id), 0) AS id FROM frames`);
    this.#since = database.prepare(`SELECT session, max(id) AS id FROM frames WHERE id > ? GROUP BY session`);
  }

  tail(session: string): Tail {
    const end = this.#end.get(session, session) as unknown as End;
    if (end.head === null && end.newest === null) return { epoch: 0, last: 0, fence: 0n, owner: "" };
    if (end.id === null || end.id !== end.head || end.session !== session || toFrame(end) === undefined) {
      const place = { last: end.id === null ? 0 : end.first - 1 };
      throw damaged(session, place, "its newest frame is not as it was written");
    }
    return { epoch: end.epoch, last: end.last, fence: toFence(end.id, end.checksum), owner: end.owner };
  }

  /** Writes a frame and gives the tail that it makes. */
  insert(row: FrameRow): Tail {
    const { session, epoch, first, last, count, owner, previous, checksum, data } = row;
    const { lastInsertRowid } = this.#insert.run(session, epoch, first, last, count, owner, previous, checksum, data);
    return { epoch, last, fence: toFence(Number(lastInsertRowid), checksum), owner };
  }

  /** The next frames after a place, claims too, at most that many. */
  page(session: string, { last, epoch }: Place, count: number): FrameRow[] {
    return this.#page.all(session, last, epoch, count) as unknown as FrameRow[];
  }

  /** The names of all sessions, the newest activity first. */
  sessions(): string[] {
    return this.#sessions.all().map((row) => String(row["session"]));
  }

  /** The id of the newest frame of all sessions. */
  newest(): number {
    return Number(this.#newest.get()?.["id"]);
  }

  /** The sessions that have grown since that frame, each with the id of its newest one. */
  grownSince(id: number): readonly { readonly session: string; readonly id: number }[] {
    return this.#since.all(id) as unknown as { session: string; id: number }[];
  }
}
