import { closeSync, mkdirSync, openSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { connectToRead, connectToWrite } from "./connect.ts";
import { Doorbell } from "./doorbell.ts";
import { FrameTable } from "./frame-table.ts";
import { GroupCommit } from "./group-commit.ts";
import { lookOut } from "./look-out.ts";
import { patiently } from "./patiently.ts";
import { recover, type Recovery } from "./recovery.ts";
import { prepareSchema } from "./schema.ts";
import { SqliteLog } from "./sqlite-log.ts";

export interface SqliteLogOptions {
  /** Made when it is missing, readable by nobody else. Any number of processes may have it open. */
  readonly file: string;
  /** Is told what was found when whoever had the file open before has not closed it. The log's `recovery` is the same. */
  readonly onRecovery?: (recovery: Recovery) => void;
}

/** Opens the journal in a SQLite file. */
export async function openSqliteLog({ file, onRecovery }: SqliteLogOptions): Promise<SqliteLog> {
  let recovery: Recovery | undefined;
  const log = await patiently(() => {
    const bell = `${file}-bell`;
    for (const name of [file, bell]) createPrivately(name);
    // Found once: a second attempt would find what the first has left in order.
    recovery ??= recover(file);
    using stack = new DisposableStack();
    const writer = stack.use(connectToWrite(file));
    prepareSchema(writer, file);
    const reader = stack.use(connectToRead(file));
    const table = new FrameTable(reader);
    const doorbell = new Doorbell(table, (look) => lookOut(bell, look));
    const commits = new GroupCommit(writer, new FrameTable(writer), () => {
      doorbell.look();
      touch(bell);
    });
    const connections = stack.move();
    return new SqliteLog({ table, commits, doorbell, recovery, close: () => connections.dispose() });
  });
  if (recovery !== undefined) onRecovery?.(recovery);
  return log;
}

/** SQLite gives its other files the mode of the first; so that one is made here, before SQLite makes it for all. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // Only when it is new: to open and close a database that SQLite has open would drop SQLite's locks on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Tells other processes' watchers. The write-ahead log would tell them too, but many times for one commit and always too
 * early, since a commit can be seen only after the disk has it. When the bell cannot be touched, they find out by their
 * own next look.
 */
function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // See above.
  }
}
