import type { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";

export const version = 2;

/**
 * Frames are only ever added, so ids grow with time. The index is the way to a number and to the end, and a second lock
 * on the order, since no two frames of a session may end at the same event in the same epoch. It is a rowid table on
 * purpose: with (session, last) as the primary key, appends split pages and were five times slower.
 *
 * A chain shows what is missing in its middle but not what is missing at its end. So the end is written down twice, and
 * in the same stroke: a session whose head is not its newest frame is damaged.
 */
const tables = [
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

/** Makes the tables in a new file, and refuses a file whose tables are not these. */
export function prepareSchema(database: DatabaseSync, file: string): void {
  if (isPrepared(database, file)) return;
  // Two processes may open a new file at the same moment: the second must see what the first has made.
  database.exec("BEGIN IMMEDIATE");
  try {
    if (!isPrepared(database, file)) database.exec(`${tables.join(";")}; PRAGMA user_version = ${version}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function isPrepared(database: DatabaseSync, file: string): boolean {
  const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  const made = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").all();
  if (found === 0 && made.length === 0) return false;
  if (found > version) {
    const formats = `its format is ${found}, this one knows ${version}`;
    throw new FairleadError("unavailable", `${file} was written by a newer Fairlead (${formats}): update Fairlead`);
  }
  if (found > 0 && found < version) {
    throw new FairleadError("unavailable", `${file} has format ${found}, which was never released: move it away`);
  }
  if (found === version && tables.every((sql, index) => made[index]?.["sql"] === sql)) return true;
  throw new FairleadError("corrupt", `${file} does not have the tables of a Fairlead journal`);
}
