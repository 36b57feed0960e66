import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/**
 * Reads the key of a data directory's masks, and creates it first if there is none. If the disk does not allow that, returns
 * another key: a secret is masked all the same, and only a later process cannot turn the masks back.
 */
export function readMaskKey(file: string): string {
  try {
    return readKey(file) ?? createKey(file);
  } catch {
    return randomKey();
  }
}

function randomKey(): string {
  return randomBytes(32).toString("hex");
}

function readKey(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Creates the file by a link, so that two processes have the same key, and a crash leaves no part of one. */
function createKey(file: string): string {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, randomKey(), { mode: 0o600, flush: true });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readFileSync(file, "utf8");
}
