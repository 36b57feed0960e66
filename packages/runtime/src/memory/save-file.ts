import { PlainFile } from "../host/read-plain-file.ts";
import { digestBlock, digestOf } from "./block-store.ts";
import type { FoundFile } from "./find-memory-files.ts";
import { readBlocks } from "./read-blocks.ts";
import { blockBytes, type StoredFile } from "./stored-memory.ts";

/** Stores a block, and returns its name. */
type StoreBlock = (block: Uint8Array) => Promise<string>;

/** The beginning of a file that shows whether it needs others. */
const beginningBytes = 4096;

/** Stores the blocks of a file that the last save did not. Returns null if there is no regular file any more. */
export async function saveFile(
  { path, location, needsOthers, size, changedAt }: FoundFile,
  before: StoredFile | null,
  store: StoreBlock,
): Promise<StoredFile | "needs-others" | null> {
  if (before?.size === size && before.changedAt === changedAt) return before;
  await using file = await PlainFile.open(location, Infinity).catch(() => null);
  if (file === null) return null;
  const kept = await countKeptBlocks(file, before);
  const blocks = before?.blocks.slice(0, kept) ?? [];
  let bytes = kept * blockBytes;
  for await (const block of readBlocks(file, bytes)) {
    if (bytes === 0 && needsOthers?.test(block.toString("utf8", 0, beginningBytes))) return "needs-others";
    blocks.push(await store(block));
    bytes += block.length;
  }
  // The size of what was read: the agent may have truncated the file meanwhile.
  return { path, size: bytes, changedAt, blocks };
}

/**
 * Returns how many full blocks the file still begins with. Reads only the last of them: an agent that appends changes none,
 * and one that inserts or removes a line moves what follows. A block in the middle that was replaced by one of the same
 * length is not noticed, and the fingerprint of the transcript then differs.
 */
async function countKeptBlocks(file: PlainFile, before: StoredFile | null): Promise<number> {
  if (before === null) return 0;
  const full = Math.floor(before.size / blockBytes);
  if (full === 0) return 0;
  for await (const block of readBlocks(file, (full - 1) * blockBytes))
    return digestBlock(block) === digestOf(before.blocks[full - 1]) ? full : 0;
  return 0;
}
