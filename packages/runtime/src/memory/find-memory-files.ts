import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import type { AgentMemory, MemoryFiles } from "@fairlead/contract";
import type { OpenFolder } from "../host/open-folder.ts";
import { openMemoryFolder } from "./memory-folder.ts";

export interface FoundFile {
  /** Relative to the folder of the memory. */
  readonly path: string;
  /** Leads to the file through its folder, which is open. */
  readonly location: string;
  /** Matches the beginning of a file that is of no use without those of another conversation. */
  readonly needsOthers: RegExp | undefined;
  readonly size: number;
  readonly changedAt: number;
}

export interface MemoryLimits {
  readonly bytes: number;
  readonly files: number;
}

/** In a folder with more names, those after them are not looked at. The agent can create any number. */
const maxNames = 50_000;

/**
 * Finds the regular files of a memory, as far as they fit into the limits. Returns null if a file that the agent needs does
 * not. The folders are open until `opened` is disposed.
 */
export async function findMemoryFiles(
  memory: AgentMemory,
  limits: MemoryLimits,
  opened: AsyncDisposableStack,
): Promise<FoundFile[] | null> {
  const found: FoundFile[] = [];
  let bytes = 0;
  for (const files of memory.files) {
    const folder = await openMemoryFolder(memory, files.folder);
    if (folder === null) continue;
    opened.use(folder);
    for await (const name of listNames(folder, files)) {
      const location = join(folder.path, name);
      const stats = await lstat(location).catch(() => null);
      if (stats === null || !stats.isFile()) continue;
      const fits = bytes + stats.size <= limits.bytes && found.length < limits.files;
      if (!fits && files.optional) continue;
      if (!fits) return null;
      bytes += stats.size;
      const path = files.folder === "" ? name : `${files.folder}/${name}`;
      found.push({ path, location, needsOthers: files.needsOthers, size: stats.size, changedAt: stats.ctimeMs });
    }
  }
  return found;
}

async function* listNames(folder: OpenFolder, { name }: MemoryFiles): AsyncGenerator<string> {
  if (typeof name === "string") return yield name;
  const names: string[] = [];
  let seen = 0;
  for await (const entry of await opendir(folder.path)) {
    if (++seen > maxNames) break;
    if (name.test(entry.name)) names.push(entry.name);
  }
  // In a fixed order, so that two saves of the same files leave out the same.
  yield* names.toSorted();
}
