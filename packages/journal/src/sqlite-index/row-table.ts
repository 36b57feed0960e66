import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  compareRows,
  type NameHolder,
  type RowKey,
  type SessionRow,
  type SessionRowCount,
  type SessionRowQuery,
} from "../session-index.ts";
import type { LogPosition } from "../event-log.ts";

type SqlValue = string | number;

const columns = [
  "session",
  "epoch",
  "last",
  "owner",
  "state",
  "unfinished",
  "name",
  "agent",
  "workspace",
  "continues",
  "agentSessionId",
  "startedAt",
  "lastAt",
  "content",
] as const satisfies (keyof SessionRow)[];

const selectRows = `SELECT ${columns.join(", ")} FROM sessions`;
const putStatement = `
  INSERT INTO sessions (${columns.join(", ")}, revision)
  VALUES (${columns.map(() => "?").join(", ")}, (SELECT revision + 1 FROM status))
  ON CONFLICT (session) DO UPDATE SET
    ${[...columns.slice(1), "revision"].map((name) => `${name} = excluded.${name}`).join(", ")}
  WHERE (excluded.epoch, excluded.last) >= (epoch, last)`;

/** How often the rows of the table changed, and how often a row was removed. */
export interface IndexRevision {
  readonly revision: number;
  readonly removals: number;
}

export interface RowSelection {
  readonly query: SessionRowQuery;
  readonly order: "activity" | "session";
  /** The row before the first one. */
  readonly after: RowKey | undefined;
  readonly limit: number;
}

/** The statements on the tables of the index, over one connection. */
export class RowTable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(session: string): SessionRow | undefined {
    const row = this.#prepare(`${selectRows} WHERE session = ?`).get(session);
    return row && toRow(row);
  }

  put(row: SessionRow): boolean {
    const values = columns.map((name) => (name === "unfinished" ? Number(row.unfinished) : row[name]));
    const isWritten = this.#prepare(putStatement).run(...values).changes > 0;
    if (isWritten) this.#prepare("UPDATE status SET revision = revision + 1").run();
    return isWritten;
  }

  remove(session: string): void {
    const { changes } = this.#prepare("DELETE FROM sessions WHERE session = ?").run(session);
    if (changes > 0) this.#prepare("UPDATE status SET removals = removals + 1").run();
    this.#prepare("DELETE FROM names WHERE session = ?").run(session);
  }

  /** Returns the first rows of a selection. */
  select({ query: { states, ...query }, order, after, limit }: RowSelection): SessionRow[] {
    const direction = order === "session" ? "ORDER BY session" : "ORDER BY lastAt DESC, session DESC";
    const readState = (state?: string): SessionRow[] => {
      const conditions = toConditions(query, state === undefined ? {} : { state });
      if (after !== undefined) conditions.push(toPosition(order, after));
      const sql = `${selectRows} WHERE ${joinConditions(conditions)} ${direction} LIMIT ?`;
      return this.#prepare(sql)
        .all(...conditions.flatMap(({ values }) => values), limit)
        .map(toRow);
    };
    if (states === undefined) return readState();
    // One query per state reads its rows in order. A query for several states would read all of them and sort.
    const rows = [...new Set(states)].flatMap((state) => readState(state));
    return states.length === 1 ? rows : rows.toSorted(compareRows(order)).slice(0, limit);
  }

  count({ states, ...query }: SessionRowQuery): SessionRowCount[] {
    const { agent, ...rest } = query;
    const isCounted = Object.values(rest).every((value) => value === undefined);
    const conditions = toConditions(isCounted ? { ...(agent !== undefined && { agent }) } : query, {});
    const source = isCounted
      ? `SELECT agent, state, count FROM counts WHERE count > 0 AND ${joinConditions(conditions)}`
      : `SELECT agent, state, count(*) AS count FROM sessions WHERE ${joinConditions(conditions)} GROUP BY agent, state`;
    const counts = this.#prepare(source).all(...conditions.flatMap(({ values }) => values));
    return counts
      .map((row) => ({ agent: String(row["agent"]), state: String(row["state"]), count: Number(row["count"]) }))
      .filter(({ state }) => states === undefined || states.includes(state));
  }

  revision(): IndexRevision {
    const row = this.#prepare("SELECT revision, removals FROM status").get();
    return { revision: Number(row?.["revision"]), removals: Number(row?.["removals"]) };
  }

  /** Returns the rows that changed after a revision, oldest change first. */
  changedSince(revision: number, limit: number): { readonly rows: SessionRow[]; readonly revision: number } {
    const sql = `SELECT *, revision FROM sessions WHERE revision > ? ORDER BY revision LIMIT ?`;
    const found = this.#prepare(sql).all(revision, limit);
    return { rows: found.map(toRow), revision: Number(found.at(-1)?.["revision"] ?? revision) };
  }

  holder(name: string): NameHolder | undefined {
    const row = this.#prepare("SELECT session, owner FROM names WHERE name = ?").get(name);
    return row && { session: String(row["session"]), owner: String(row["owner"]) };
  }

  setHolder(name: string, { session, owner }: NameHolder): void {
    this.#prepare("INSERT OR REPLACE INTO names VALUES (?, ?, ?)").run(name, session, owner);
  }

  removeHolder(name: string, session: string): void {
    this.#prepare("DELETE FROM names WHERE name = ? AND session = ?").run(name, session);
  }

  get position(): LogPosition | null {
    const position = this.#prepare("SELECT position FROM status").get()?.["position"];
    return position == null ? null : String(position);
  }

  set position(position: LogPosition) {
    this.#prepare("UPDATE status SET position = ?").run(position);
  }

  #prepare(sql: string): StatementSync {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function toConditions(query: Omit<SessionRowQuery, "states">, { state }: { readonly state?: string }): SqlCondition[] {
  const { unfinished, prefix, since, until, ...fields } = query;
  const conditions: SqlCondition[] = [];
  const add = (sql: string, ...values: SqlValue[]): void => void conditions.push({ sql, values });
  if (state !== undefined) add("state = ?", state);
  // As a literal, so that SQLite can use the index of unfinished sessions.
  if (unfinished !== undefined) add(`unfinished = ${Number(unfinished)}`);
  for (const field of ["name", "agent", "workspace", "continues", "agentSessionId"] as const)
    if (fields[field] !== undefined) add(`${field} = ?`, fields[field]);
  // A range and not LIKE, which neither uses the index nor distinguishes case. No id contains the last code point.
  if (prefix) add("session >= ? AND session < ?", prefix, `${prefix}\u{10FFFF}`);
  if (since !== undefined) add("lastAt >= ?", since);
  if (until !== undefined) add("lastAt <= ?", until);
  return conditions;
}

function toPosition(order: RowSelection["order"], { session, lastAt }: RowKey): SqlCondition {
  if (order === "session") return { sql: "session > ?", values: [session] };
  return { sql: "(lastAt, session) < (?, ?)", values: [lastAt, session] };
}

function joinConditions(conditions: readonly SqlCondition[]): string {
  return conditions.map(({ sql }) => sql).join(" AND ") || "TRUE";
}

function toRow(row: Readonly<Record<string, unknown>>): SessionRow {
  const { unfinished } = row;
  return {
    ...Object.fromEntries(columns.map((name) => [name, row[name]])),
    unfinished: unfinished === 1,
  } as SessionRow;
}
