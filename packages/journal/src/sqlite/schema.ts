import type { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";

export const schemaVersion = 2;

/**
 * Batches are stored in the table `frames`. They are only appended, so ids grow with time. The index finds a sequence and
 * the tail. It also enforces the order: no two batches of a session may end at the same event in the same epoch.
 * `frames` is a rowid table on purpose: with (session, last) as the primary key, appends split pages and were five times
 * slower.
 *
 * A chain of checksums reveals a batch that is missing in its middle, but not one at its end. Therefore a trigger stores
 * the newest id in `heads` within the same transaction. A session whose head is not its newest batch is damaged.
 */
const schemaStatements = [
  `CREATE TABLE frames (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    count INTEGER NOT NULL,
    owner TEXT NOT NULL,
    previous INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL
  ) STRICT`,
  `CREATE UNIQUE INDEX frames_in_order ON frames (session, last, epoch)`,
  `CREATE TABLE heads (session TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER frames_move_heads AFTER INSERT ON frames BEGIN
    INSERT INTO heads VALUES (new.session, new.id) ON CONFLICT DO UPDATE SET id = new.id;
  END`,
];

/** Creates the tables in a new file. Throws when an existing file has other tables. */
export function prepareSchema(database: DatabaseSync, file: string): void {
  if (hasSchema(database, file)) return;
  // Two processes may open a new file at the same time: the second must see the tables of the first.
  database.exec("BEGIN IMMEDIATE");
  try {
    if (!hasSchema(database, file))
      database.exec(`${schemaStatements.join(";")}; PRAGMA user_version = ${schemaVersion}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function hasSchema(database: DatabaseSync, file: string): boolean {
  const fileVersion = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  const existingStatements = database
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    .all();
  if (fileVersion === 0 && existingStatements.length === 0) return false;
  if (fileVersion > schemaVersion) {
    const formats = `format ${fileVersion}, this version reads ${schemaVersion}`;
    throw new FairleadError("unavailable", `${file} was written by a newer Fairlead (${formats}). Update Fairlead.`);
  }
  if (fileVersion > 0 && fileVersion < schemaVersion) {
    throw new FairleadError(
      "unavailable",
      `${file} has format ${fileVersion}, which was never released. Move the file away.`,
    );
  }
  if (
    fileVersion === schemaVersion &&
    schemaStatements.every((sql, index) => existingStatements[index]?.["sql"] === sql)
  )
    return true;
  throw new FairleadError("corrupt", `${file} is not a Fairlead journal: its tables differ. Move the file away.`);
}
