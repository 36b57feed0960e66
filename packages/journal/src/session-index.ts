import type { LogPosition } from "./event-log.ts";

/**
 * What the index knows about one session: fields that a query can name, and a content that the index does not interpret.
 * The owner of the session writes it. Everything in it follows from the session's log, so a lost row can be rebuilt.
 */
export interface SessionRow {
  readonly session: string;
  /** The epoch and the last sequence of the log that the row reflects. */
  readonly epoch: number;
  readonly last: number;
  /** The owner of that epoch. */
  readonly owner: string;
  readonly state: string;
  /** Whether a process that starts must drive the session, or check whether it must. */
  readonly unfinished: boolean;
  /** The name that people gave the session. */
  readonly name: string | null;
  readonly agent: string;
  readonly workspace: string;
  /** The session whose conversation this one continues. */
  readonly continues: string | null;
  /** The agent's own id of the conversation that the session drives. */
  readonly agentSessionId: string | null;
  /** Times in the form of `Date.toISOString`, so that they sort as text. */
  readonly startedAt: string;
  readonly lastAt: string;
  /** Text that the index returns unchanged. */
  readonly content: string;
}

/** Selects rows. A row must satisfy every field that is present. */
export interface SessionRowQuery {
  /** Any of these states. */
  readonly states?: readonly string[] | undefined;
  readonly unfinished?: boolean | undefined;
  readonly name?: string | undefined;
  readonly agent?: string | undefined;
  readonly workspace?: string | undefined;
  readonly continues?: string | undefined;
  readonly agentSessionId?: string | undefined;
  /** The beginning of the session's id. */
  readonly prefix?: string | undefined;
  /** The earliest and the latest `lastAt`, both included. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface SessionPageOptions {
  /** The `next` of the page before, which had the same query and order. */
  readonly cursor?: string;
  /** The maximum number of rows. Default: 100. */
  readonly limit?: number;
  /**
   * `activity`, the default: the newest `lastAt` first. A session that becomes active while a caller pages moves to the
   * first page, which the caller already has. `session`: by id. No row that exists the whole time is left out.
   */
  readonly order?: "activity" | "session";
}

export interface SessionRowPage {
  readonly rows: readonly SessionRow[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** The number of rows of one agent in one state. */
export interface SessionRowCount {
  readonly agent: string;
  readonly state: string;
  readonly count: number;
}

/** A row that matches the query of a watch, or null for one that was removed or no longer matches. */
export interface SessionRowChange {
  readonly session: string;
  readonly row: SessionRow | null;
}

/** The session that has a name, and the process that took the name for it. */
export interface NameHolder {
  readonly session: string;
  readonly owner: string;
}

/**
 * An index of all sessions. Its cost does not depend on the number of events, and that of a page or a count of states not
 * on the number of sessions. It is a cache: the log decides, and an index that is lost or behind is rebuilt from it.
 * Methods throw `unavailable` when the storage cannot be reached or the index was disposed.
 */
export interface SessionIndex extends AsyncDisposable {
  /**
   * Writes a row, unless the index has a row of the session with a later epoch, or with the same epoch and a later last
   * sequence. Returns whether it was written. Any number of callers may write rows of one session in any order.
   */
  put(row: SessionRow): Promise<boolean>;

  /** Returns the row of a session. */
  get(session: string): Promise<SessionRow | undefined>;

  /** Removes the row of a session that was forgotten. Nothing of its content stays readable in the storage. */
  remove(session: string): Promise<void>;

  /** Returns a page of the rows that match. Throws `invalid-request` for a cursor of another order or origin. */
  page(query: SessionRowQuery, options?: SessionPageOptions): Promise<SessionRowPage>;

  /** Counts the rows that match, by agent and state. Leaves out counts of zero. */
  count(query: SessionRowQuery): Promise<readonly SessionRowCount[]>;

  /**
   * Yields the rows that match, then each change of them by any process. Several changes of one row may be yielded as one.
   * The iteration returns only when the signal aborts.
   */
  watch(query: SessionRowQuery, signal: AbortSignal): AsyncIterable<SessionRowChange>;

  /**
   * Gives a name to a session, if no session has it or `replaces` has it. Returns the holder after the call. It is a
   * compare-and-set: of several callers that find the same holder, one succeeds.
   */
  take(name: string, holder: NameHolder, replaces?: string): Promise<NameHolder>;

  /** Returns a name that a session took and did not use. Does nothing if another session has it now. */
  release(name: string, session: string): Promise<void>;

  /** How often this process has replaced a damaged index by an empty one since it opened the index. */
  readonly replacements: number;

  /** Returns the position of the log up to which the index has all rows; null for a new index. */
  readPosition(): Promise<LogPosition | null>;

  writePosition(position: LogPosition): Promise<void>;
}

/** Whether a row may replace an existing one. Every engine applies this rule. */
export function mayReplaceRow(existing: Pick<SessionRow, "epoch" | "last">, row: SessionRow): boolean {
  return row.epoch > existing.epoch || (row.epoch === existing.epoch && row.last >= existing.last);
}

/** Whether a row satisfies a query. An engine that cannot search may apply it to all rows. */
export function matchesRowQuery(row: SessionRow, query: SessionRowQuery): boolean {
  const { states, prefix = "", since = "", until } = query;
  const equal = (["unfinished", "name", "agent", "workspace", "continues", "agentSessionId"] as const).every(
    (field) => query[field] === undefined || row[field] === query[field],
  );
  if (!equal || !row.session.startsWith(prefix) || row.lastAt < since) return false;
  return (until === undefined || row.lastAt <= until) && (states === undefined || states.includes(row.state));
}

/** Compares rows by the order of a page. */
export function compareRows(order: SessionPageOptions["order"] = "activity"): (a: RowKey, b: RowKey) => number {
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  if (order === "session") return (a, b) => compare(a.session, b.session);
  return (a, b) => compare(b.lastAt, a.lastAt) || compare(b.session, a.session);
}

/** The fields that order rows. */
export type RowKey = Pick<SessionRow, "session" | "lastAt">;
