import type { AgentMemory } from "@fairlead/contract";
import type { ObjectStore } from "@fairlead/engine";
import { BlockStore, digestBlock, digestOf, nameBlock } from "./block-store.ts";
import { findMemoryFiles, type MemoryLimits } from "./find-memory-files.ts";
import { saveFile } from "./save-file.ts";
import { listBlocks, maxMemoryBytes, maxMemoryFiles } from "./stored-memory.ts";
import type { StoredFile, StoredMemory } from "./stored-memory.ts";

export interface SaveMemoryOptions {
  readonly objects: ObjectStore;
  readonly session: string;
  /** The epoch of the session's owner that saves. */
  readonly epoch: number;
  readonly memory: AgentMemory;
  /** What the last save returned, also that of an earlier owner; or null. */
  readonly before: StoredMemory | null;
  /** The names of the blocks that the object store has. A save adds those that it stores, also if it then fails. */
  readonly present: Set<string>;
  readonly limits?: MemoryLimits;
}

/**
 * Stores the files of an agent's memory. For a file that was only appended to, it reads and stores the last blocks only. A file
 * of which the object store has lost a block is stored again.
 *
 * The caller stores the result where other hosts find it, and then calls `removeReplacedBlocks`. Until then the object store
 * has the blocks of both. Saves of one session must not overlap.
 */
export async function saveMemory(options: SaveMemoryOptions): Promise<StoredMemory> {
  const { objects, session, epoch, memory, present } = options;
  const { limits = { bytes: maxMemoryBytes, files: maxMemoryFiles } } = options;
  await using opened = new AsyncDisposableStack();
  const found = await findMemoryFiles(memory, limits, opened);
  if (found === null) return { outcome: "too-large", files: [] };
  const blocks = new BlockStore(objects, session);
  const filesBefore = options.before?.files.filter((file) => file.blocks.every((name) => present.has(name))) ?? [];
  const known = new Map(filesBefore.flatMap((file) => file.blocks.map((name) => [digestOf(name), name])));
  const store = async (block: Uint8Array): Promise<string> => {
    const digest = digestBlock(block);
    const kept = known.get(digest);
    if (kept !== undefined) return kept;
    const name = nameBlock(epoch, digest);
    // A block of an earlier owner that `before` does not need may be about to be removed. Those of this owner are not.
    if (!present.has(name)) await blocks.put(name, block);
    present.add(name);
    return name;
  };
  const files: StoredFile[] = [];
  for (const file of found) {
    const stored = await saveFile(file, filesBefore.find(({ path }) => path === file.path) ?? null, store);
    if (stored === "needs-others") return { outcome: stored, files: [] };
    if (stored !== null) files.push(stored);
  }
  return { outcome: files.length === 0 ? "absent" : "stored", files };
}

/**
 * Removes the blocks that the result of the last save does not need, and takes them out of `present`. Call it after that result
 * is stored durably: a crash before that would leave a result whose blocks are gone. The caller must be the session's owner
 * after that too: then a later owner reads this result or a newer one, and needs none of these blocks.
 */
export async function removeReplacedBlocks(
  { objects, session, present }: Pick<SaveMemoryOptions, "objects" | "session" | "present">,
  stored: StoredMemory | null,
): Promise<void> {
  const blocks = new BlockStore(objects, session);
  for (const name of present.difference(listBlocks(stored))) {
    // First: if the removal throws, it is unknown whether the object store has the block, and the next save stores it again.
    present.delete(name);
    await blocks.remove(name);
  }
}

/** Removes all that is stored of a session's memory. */
export async function forgetMemory(objects: ObjectStore, session: string): Promise<void> {
  const blocks = new BlockStore(objects, session);
  for (const name of await blocks.list()) await blocks.remove(name);
}
