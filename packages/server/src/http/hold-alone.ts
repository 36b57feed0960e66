import { DatabaseSync } from "node:sqlite";
import { FairleadError } from "@fairlead/contract";

/**
 * Holds a file for as long as this process lives: there is one service to a home. The lock is the kernel's, so it ends
 * with its holder, however that ends; Node offers such locks through its database alone. `patience`: for how many milliseconds another holder is waited for.
 */
export function holdAlone(file: string, patience = 0): Disposable {
  const lock = new DatabaseSync(file, { timeout: patience });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new FairleadError("unavailable", "Another service holds this home already.", { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
