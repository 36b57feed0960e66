import { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";

/**
 * Holds a file until disposed of, or for as long as this process lives. The lock is the kernel's, so it ends with its
 * holder, however that ends; Node offers such locks through its database alone. Another holder is waited for so many
 * milliseconds.
 */
export function holdAlone(file: string, patience = 0): Disposable {
  const lock = new DatabaseSync(file, { timeout: patience });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new FairleadError("unavailable", `Another process holds ${file}.`, { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
