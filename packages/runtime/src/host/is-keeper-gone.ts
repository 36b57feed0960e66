import { findKeeperProcess } from "@fairlead/keeper";

/** Whether the session in a folder has no keeper. False if that cannot be determined now. */
export function isKeeperGone(folder: string): boolean {
  try {
    return findKeeperProcess(folder) === null;
  } catch {
    return false; // this process has too many files open
  }
}
