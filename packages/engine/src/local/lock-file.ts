import { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";

/**
 * Locks a file until the returned lock is disposed or this process ends. The kernel owns the lock, so it is released
 * however the process ends. Node offers such locks only through SQLite. If another process has the lock, the call waits
 * up to `busyTimeout` milliseconds and then throws `unavailable`.
 */
export function lockFile(file: string, busyTimeout = 0): Disposable {
  const lock = new DatabaseSync(file, { timeout: busyTimeout });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new FairleadError("unavailable", `${file} is locked by another process.`, { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
