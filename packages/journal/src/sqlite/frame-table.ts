import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Tail } from "../event-log.ts";
import { damaged, type Place } from "./chain.ts";
import { idIn, toFence } from "./fence.ts";
import { toDraft, toFrame, toRow, type FrameRow, type StoredFrame } from "./frame-row.ts";

// Hops from name to name through the index instead of walking over every frame. A session that only one of the two
// knows is listed too, so that it is found to be damaged rather than forgotten.
const everySession = `
  WITH RECURSIVE names(name) AS (
    SELECT min(session) FROM frames
    UNION ALL
    SELECT (SELECT min(session) FROM frames WHERE session > name) FROM names WHERE name IS NOT NULL
  )
  SELECT coalesce(name, session) AS session FROM names FULL JOIN heads ON session = name
  WHERE coalesce(name, session) <> '' ORDER BY id DESC
`;

/**
 * A session of the table's own. SQLite gives the highest id again when its row is gone; a fence would then fit another
 * frame, and watchers would miss one. So forgetting takes the next id first, with a claim of this session.
 */
const forgetting = "";

const newestOf = `SELECT id FROM frames WHERE session = ? ORDER BY last DESC, epoch DESC LIMIT 1`;

/** The newest frame and what else speaks of it; all is null for a session that nobody knows. */
interface End extends StoredFrame {
  readonly session: string | null;
  readonly id: number | null;
  readonly head: number | null;
  readonly newest: number | null;
}

const statements = {
  end: `SELECT frames.*, head, newest
    FROM (SELECT (SELECT id FROM heads WHERE session = ?) AS head, (${newestOf}) AS newest)
    LEFT JOIN frames ON frames.id = newest`,
  isEnd: `SELECT 1 FROM heads WHERE session = ?1 AND id = ?2 AND id = (SELECT id FROM frames WHERE session = ?1
    ORDER BY last DESC, epoch DESC LIMIT 1)`,
  insert: `INSERT INTO frames (session, epoch, first, last, count, owner, previous, checksum, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  page: `SELECT epoch, first, count, owner, previous, checksum, data FROM frames
    WHERE session = ? AND (last, epoch) > (?, ?) ORDER BY last, epoch LIMIT ?`,
  forgetFrames: `DELETE FROM frames WHERE session = ?`,
  forgetHead: `DELETE FROM heads WHERE session = ?`,
  sessions: everySession,
  newest: `SELECT coalesce(max(id), 0) AS id FROM frames`,
  // Not by the index, though it has the sessions in order: it would walk over every frame there is.
  since: `SELECT session, max(id) AS id FROM frames NOT INDEXED WHERE id > ? GROUP BY session`,
};

/** The statements on the table of frames, over one connection. */
export class FrameTable {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<keyof typeof statements, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  tail(session: string): Tail {
    const end = this.#prepare("end").get(session, session) as unknown as End;
    if (end.head === null && end.newest === null) return { epoch: 0, last: 0, fence: 0n, owner: "" };
    if (end.id === null || end.id !== end.head || end.session !== session || toFrame(session, end) === undefined) {
      const place = { last: end.id === null ? 0 : end.first - 1 };
      throw damaged(session, place, "its newest frame is not as it was written");
    }
    const { epoch, first, count, checksum, owner } = end;
    // Not the column: the checksum is not over it.
    return { epoch, last: first + count - 1, fence: toFence(end.id, checksum), owner };
  }

  /** Whether a tail that was right once is still right: by its id alone, which no other frame will ever have. */
  isTail(session: string, { fence }: Tail): boolean {
    return this.#prepare("isEnd").get(session, idIn(fence)) !== undefined;
  }

  /** Writes a frame and gives the tail that it makes. */
  insert(row: FrameRow): Tail {
    const { session, epoch, first, count, owner, previous, checksum, data } = row;
    const last = first + count - 1;
    const { lastInsertRowid } = this.#prepare("insert").run(
      session,
      epoch,
      first,
      last,
      count,
      owner,
      previous,
      checksum,
      data,
    );
    return { epoch, last, fence: toFence(Number(lastInsertRowid), checksum), owner };
  }

  /** Removes all frames of a session, and sees to it that none of their ids is ever given again. */
  forget(session: string): void {
    this.#prepare("forgetFrames").run(forgetting);
    this.insert(toRow(toDraft({ session: forgetting, epoch: 1, first: 1, events: [], owner: "" }), 0));
    this.#prepare("forgetFrames").run(session);
    this.#prepare("forgetHead").run(session);
  }

  /** The next frames after a place, claims too, at most that many. */
  page(session: string, { last, epoch }: Place, count: number): StoredFrame[] {
    return this.#prepare("page").all(session, last, epoch, count) as unknown as StoredFrame[];
  }

  /** The names of all sessions, the newest activity first. */
  sessions(): string[] {
    return this.#prepare("sessions")
      .all()
      .map((row) => String(row["session"]));
  }

  /** The id of the newest frame of all sessions. */
  newest(): number {
    return Number(this.#prepare("newest").get()?.["id"]);
  }

  /** The sessions that have grown since that frame, each with the id of its newest one. */
  grownSince(id: number): readonly { readonly session: string; readonly id: number }[] {
    return this.#prepare("since").all(id) as unknown as { session: string; id: number }[];
  }

  /** Only when it is needed: who writes has no use for what who reads needs. */
  #prepare(name: keyof typeof statements): StatementSync {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(statements[name]);
    this.#prepared.set(name, statement);
    return statement;
  }
}
