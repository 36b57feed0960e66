import { DatabaseSync } from "node:sqlite";

// SQLite waits for another process's lock by blocking the event loop, so it may do that only for some milliseconds;
// who needs more asks again later, see `patiently`.
const timeout = 5;

/** The one connection that writes. A commit returns when the disk has it. */
export function connectToWrite(file: string): DatabaseSync {
  return prepared(new DatabaseSync(file, { timeout }), (database) =>
    // Without fullfsync, macOS says "written" while the bytes are still in the drive's cache. What is forgotten must not
    // stay readable in the file's free pages.
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON",
    ),
  );
}

/** A connection that sees what is committed, and nothing else. */
export function connectToRead(file: string): DatabaseSync {
  return prepared(new DatabaseSync(file, { readOnly: true, timeout }), () => {});
}

/** The only connection to a file. It throws that the file is busy when there is another one, in any process. */
export function connectAlone(file: string): DatabaseSync {
  return prepared(new DatabaseSync(file, { timeout: 0 }), (database) => {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
  });
}

function prepared(database: DatabaseSync, prepare: (database: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
