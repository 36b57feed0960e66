import { DatabaseSync } from "node:sqlite";

// How long to wait for another process's transaction, in milliseconds, before the log is `unavailable`.
const patience = 10_000;

/** The one connection that writes. A commit returns when the disk has it. */
export function connectToWrite(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: patience });
  // Without fullfsync, macOS says "written" while the bytes are still in the drive's cache.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON");
  return database;
}

/** A connection that sees what is committed, and nothing else. */
export function connectToRead(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: patience });
}
