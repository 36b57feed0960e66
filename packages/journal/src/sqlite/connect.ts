import { DatabaseSync } from "node:sqlite";

// SQLite blocks the event loop while it waits for another process's lock, so it may wait only a few milliseconds.
// `retryWhileBusy` retries for longer.
const busyTimeoutMs = 5;

/** Opens the only connection that writes. A commit returns once it is on disk. */
export function connectToWrite(file: string): DatabaseSync {
  return configureOrClose(new DatabaseSync(file, { timeout: busyTimeoutMs }), (database) =>
    // Without fullfsync, macOS reports a sync as done while the bytes are still in the drive's cache. Without
    // secure_delete, forgotten events would stay readable in the file's free pages.
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA secure_delete = ON",
    ),
  );
}

/** Opens a read-only connection, which sees only committed data. */
export function connectToRead(file: string): DatabaseSync {
  return configureOrClose(new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs }), () => {});
}

/** Opens the only connection to a file. Throws a busy error when any process has another one. */
export function connectExclusively(file: string): DatabaseSync {
  return configureOrClose(new DatabaseSync(file, { timeout: 0 }), (database) => {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
  });
}

function configureOrClose(database: DatabaseSync, configure: (database: DatabaseSync) => void): DatabaseSync {
  try {
    configure(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
