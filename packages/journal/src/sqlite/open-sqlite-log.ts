import { closeSync, mkdirSync, openSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { connectToRead, connectToWrite } from "./connect.ts";
import { ChangeNotifier } from "./change-notifier.ts";
import { BatchTable } from "./batch-table.ts";
import { GroupCommit } from "./group-commit.ts";
import { watchFile } from "./watch-file.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { recover, type Recovery } from "./recovery.ts";
import { prepareSchema } from "./schema.ts";
import { SqliteLog } from "./sqlite-log.ts";

export interface SqliteLogOptions {
  /** Created when it is missing, readable only by its owner. Any number of processes may open it. */
  readonly file: string;
}

/** Opens the journal in a SQLite file. */
export async function openSqliteLog({ file }: SqliteLogOptions): Promise<SqliteLog> {
  let recovery: Recovery | undefined;
  return await retryWhileBusy(() => {
    const changeFile = `${file}-bell`;
    for (const name of [file, changeFile]) createPrivateFile(name);
    // Assess only once: after the first attempt has repaired the file, a second one would report no crash.
    recovery ??= recover(file);
    using stack = new DisposableStack();
    const writer = stack.use(connectToWrite(file));
    prepareSchema(writer, file);
    const reader = stack.use(connectToRead(file));
    const table = new BatchTable(reader);
    const notifier = new ChangeNotifier(table, (onChange) => watchFile(changeFile, onChange));
    const groupCommit = new GroupCommit(writer, new BatchTable(writer), () => {
      notifier.checkForChanges();
      touch(changeFile);
    });
    const connections = stack.move();
    return new SqliteLog({ table, groupCommit, notifier, recovery, close: () => connections.dispose() });
  });
}

/** Creates the file before SQLite does, because SQLite gives all its other files the mode of this one. */
export function createPrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // Only if it is new: to open and close a database that SQLite has open would drop SQLite's locks on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Notifies the watchers of other processes. Watching the write-ahead log instead would notify them many times per commit
 * and always too early, since a commit is visible only once it is on disk. If the file cannot be touched, the watchers
 * find the change when they next poll.
 */
function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // See above.
  }
}
