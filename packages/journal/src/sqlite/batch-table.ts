import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { LogTail } from "../event-log.ts";
import { createDamageError, type ChainPosition } from "./chain.ts";
import { extractBatchId, toFence } from "./fence.ts";
import { toBatchDraft, decodeBatch, toBatchRow, type BatchRow, type StoredBatch } from "./batch-row.ts";

// Skips from name to name through the index instead of scanning every batch. Also lists a session that is only in one of
// the two tables, so that the caller reports it as damaged instead of treating it as forgotten.
const allSessionsQuery = `
  WITH RECURSIVE names(name) AS (
    SELECT min(session) FROM frames
    UNION ALL
    SELECT (SELECT min(session) FROM frames WHERE session > name) FROM names WHERE name IS NOT NULL
  )
  SELECT coalesce(name, session) AS session FROM names FULL JOIN heads ON session = name
  WHERE coalesce(name, session) <> '' ORDER BY id DESC
`;

/**
 * An internal session. SQLite reuses the highest id once its row is deleted; a fence would then match another batch, and
 * watchers would miss one. Therefore `forget` first uses up the next id with a claim of this session.
 */
const idReservationSession = "";

const newestBatchQuery = `SELECT id FROM frames WHERE session = ? ORDER BY last DESC, epoch DESC LIMIT 1`;

/** The tail of a session without a claim. */
export const unclaimedTail: LogTail = { epoch: 0, last: 0, fence: 0n, owner: "" };

/** The newest batch, and its id according to both tables. All fields are null for an unknown session. */
interface TailRow extends StoredBatch {
  readonly session: string | null;
  readonly id: number | null;
  readonly head: number | null;
  readonly newest: number | null;
}

const statements = {
  end: `SELECT frames.*, head, newest
    FROM (SELECT (SELECT id FROM heads WHERE session = ?) AS head, (${newestBatchQuery}) AS newest)
    LEFT JOIN frames ON frames.id = newest`,
  isEnd: `SELECT 1 FROM heads WHERE session = ?1 AND id = ?2 AND id = (SELECT id FROM frames WHERE session = ?1
    ORDER BY last DESC, epoch DESC LIMIT 1)`,
  insert: `INSERT INTO frames (session, epoch, first, last, count, owner, previous, checksum, data)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  page: `SELECT epoch, first, count, owner, previous, checksum, data FROM frames
    WHERE session = ? AND (last, epoch) > (?, ?) ORDER BY last, epoch LIMIT ?`,
  forgetFrames: `DELETE FROM frames WHERE session = ?`,
  forgetHead: `DELETE FROM heads WHERE session = ?`,
  sessions: allSessionsQuery,
  // Reads all heads, which are some 30 bytes each and have no index by id: 10,000 take about a millisecond.
  changed: `SELECT session FROM heads WHERE id > ? AND session <> '' ORDER BY id DESC`,
  newest: `SELECT coalesce(max(id), 0) AS id FROM frames`,
  // NOT INDEXED: the index has the sessions in order, so the planner would use it and scan every batch.
  since: `SELECT session, max(id) AS id FROM frames NOT INDEXED WHERE id > ? GROUP BY session`,
};

/** The statements on the table of batches (named `frames`), over one connection. */
export class BatchTable {
  readonly #database: DatabaseSync;
  readonly #statementCache = new Map<keyof typeof statements, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  tail(session: string): LogTail {
    const row = this.#prepare("end").get(session, session) as unknown as TailRow;
    if (row.head === null && row.newest === null) return unclaimedTail;
    if (row.id === null || row.id !== row.head || row.session !== session || decodeBatch(session, row) === undefined) {
      const position = { last: row.id === null ? 0 : row.first - 1 };
      throw createDamageError(session, position, "its newest batch differs from what was written");
    }
    const { epoch, first, count, checksum, owner } = row;
    // Computed instead of read from the column `last`, which the checksum does not cover.
    return { epoch, last: first + count - 1, fence: toFence(row.id, checksum), owner };
  }

  /** Reports whether an earlier tail is still current. Compares only the id, because ids are never reused. */
  isTail(session: string, { fence }: LogTail): boolean {
    return this.#prepare("isEnd").get(session, extractBatchId(fence)) !== undefined;
  }

  /** Inserts a batch and returns the new tail. */
  insert(row: BatchRow): LogTail {
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

  /** Removes all batches of a session and ensures that none of their ids is reused. */
  forget(session: string): void {
    this.#prepare("forgetFrames").run(idReservationSession);
    this.insert(
      toBatchRow(toBatchDraft({ session: idReservationSession, epoch: 1, first: 1, events: [], owner: "" }), 0),
    );
    this.#prepare("forgetFrames").run(session);
    this.#prepare("forgetHead").run(session);
  }

  /** Returns at most `count` batches after a position, including claims. */
  readPage(session: string, { last, epoch }: ChainPosition, count: number): StoredBatch[] {
    return this.#prepare("page").all(session, last, epoch, count) as unknown as StoredBatch[];
  }

  /** Returns the names of all sessions, newest activity first. */
  sessions(): string[] {
    return this.#prepare("sessions")
      .all()
      .map((row) => String(row["session"]));
  }

  /** Returns the sessions whose newest batch has an id above that one, newest first. */
  sessionsAfter(id: number): string[] {
    return this.#prepare("changed")
      .all(id)
      .map((row) => String(row["session"]));
  }

  /** Returns the id of the newest batch of all sessions. */
  newestId(): number {
    return Number(this.#prepare("newest").get()?.["id"]);
  }

  /** Returns the sessions with batches after that id, each with the id of its newest batch. */
  sessionsChangedSince(id: number): readonly { readonly session: string; readonly id: number }[] {
    return this.#prepare("since").all(id) as unknown as { session: string; id: number }[];
  }

  /** Prepares a statement on first use, because the writing connection needs few of the reading statements. */
  #prepare(name: keyof typeof statements): StatementSync {
    const cached = this.#statementCache.get(name);
    if (cached !== undefined) return cached;
    const statement = this.#database.prepare(statements[name]);
    this.#statementCache.set(name, statement);
    return statement;
  }
}
