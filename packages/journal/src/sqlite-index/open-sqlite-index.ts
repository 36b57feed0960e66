import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { createPrivateFile } from "../sqlite/open-sqlite-log.ts";
import { retryWhileBusy } from "../sqlite/retry-while-busy.ts";
import { isDamage } from "../sqlite/sqlite-errors.ts";
import { prepareIndexSchema } from "./index-schema.ts";
import { SqliteSessionIndex } from "./sqlite-session-index.ts";

// SQLite blocks the event loop while it waits for another process's lock, so it may wait only a few milliseconds.
const busyTimeoutMs = 5;

export interface SqliteIndexOptions {
  /** Created when it is missing, readable only by its owner. Any number of processes may open it. */
  readonly file: string;
  /** The version of the rows' content, from 0 to 999. An index of another version is emptied. */
  readonly contentVersion: number;
}

/** Opens the session index in a SQLite file. A damaged file, or one of another version, is replaced by an empty index. */
export async function openSqliteIndex(options: SqliteIndexOptions): Promise<SqliteSessionIndex> {
  const recreate = (): DatabaseSync => recreateFile(options);
  return await retryWhileBusy(() => new SqliteSessionIndex({ database: openOrRecreate(options), recreate }));
}

function openOrRecreate(options: SqliteIndexOptions): DatabaseSync {
  try {
    return connect(options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return recreateFile(options);
  }
}

function recreateFile(options: SqliteIndexOptions): DatabaseSync {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(options.file + suffix, { force: true });
  return connect(options);
}

function connect({ file, contentVersion }: SqliteIndexOptions): DatabaseSync {
  createPrivateFile(file);
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  try {
    // NORMAL: a loss of power may undo the newest commits, but in order, and the position with them. The rows are then
    // read again from the log. Without secure_delete, the content of removed rows would stay readable in free pages.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
    prepareIndexSchema(database, contentVersion);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
