import type { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";

const version = 1;

/**
 * A session's newest frame is its tail, and that frame's id is the fence. Ids are never given twice (AUTOINCREMENT), so
 * an old fence can never become right again. The index is all three: the way to a tail, the way to a number, and a
 * second lock on the order, since no two frames of a session may end at the same event in the same epoch. It is a
 * rowid table on purpose: with (session, last) as the primary key, appends split pages and were five times slower.
 */
const tables = `
  CREATE TABLE frames (
    fence INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    count INTEGER NOT NULL,
    owner TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    data BLOB NOT NULL,
    CHECK (last = first + count - 1)
  ) STRICT;
  CREATE UNIQUE INDEX frames_in_order ON frames (session, last, epoch);
`;

/** Makes the tables in a new file, and refuses a file whose tables a newer Fairlead has made. */
export function prepareSchema(database: DatabaseSync, file: string): void {
  // Two processes may open a new file at the same moment: the second must see what the first has made.
  database.exec("BEGIN IMMEDIATE");
  try {
    const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (found > version) {
      throw new FairleadError(
        "unavailable",
        `${file} was written by a newer Fairlead (its format is ${found}, this one knows ${version}): update Fairlead`,
      );
    }
    if (found === 0) database.exec(`${tables} PRAGMA user_version = ${version}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
