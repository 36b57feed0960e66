import { openSync, renameSync, statSync } from "node:fs";

const large = 8 * 1024 ** 2;

/** Opens a log to write at its end. One that has grown large is put aside, in place of the one that was before. */
export function openLog(file: string, limit = large): number {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > limit) renameSync(file, `${file}.1`);
  return openSync(file, "a", 0o600);
}
