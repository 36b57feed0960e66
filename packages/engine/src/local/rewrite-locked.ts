import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { lockFile } from "./lock-file.ts";

/** How long to wait for another process that writes the file, in milliseconds. */
const lockTimeout = 5000;

/**
 * Replaces the text of a file that only its owner may read. `compose` runs under a lock, so two processes that change
 * the file at the same time lose no update. The rename is atomic, so a reader gets either the old or the new text.
 */
export function rewriteLocked(file: string, compose: () => string): void {
  using _lock = lockFile(`${file}.lock`, lockTimeout);
  const temporaryFile = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    // `wx` does not follow a symbolic link that an attacker may have placed there.
    writeFileSync(temporaryFile, compose(), { mode: 0o600, flag: "wx" });
    renameSync(temporaryFile, file);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
}
