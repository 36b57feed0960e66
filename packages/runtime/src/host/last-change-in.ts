import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns when something in a folder, or in a folder of it, was last written, in milliseconds; null if the folder is gone. Looks
 * no deeper, and follows no links.
 */
export async function lastChangeIn(folder: string, depth = 2): Promise<number | null> {
  try {
    let { mtimeMs: newest } = await lstat(folder);
    for (const entry of depth === 0 ? [] : await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const changedAt = entry.isDirectory() ? await lastChangeIn(path, depth - 1) : (await lstat(path)).mtimeMs;
      newest = Math.max(newest, changedAt ?? 0);
    }
    return newest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
