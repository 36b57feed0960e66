import { lstat, rename } from "node:fs/promises";
import { join } from "node:path";
import { PlainFile } from "../host/read-plain-file.ts";
import { readBlocks } from "./read-blocks.ts";
import type { StagedFile } from "./stage-file.ts";

/**
 * Renames what is at the place of a staged file, unless the staged file contains all of it. It may be the only copy of what
 * the agent wrote on this host after the last save.
 */
export async function moveAside(staged: StagedFile): Promise<void> {
  const place = join(staged.folder.path, staged.name);
  if (!(await exists(place)) || (await isBeginning(place, staged.location))) return;
  for (let number = 1; ; number++) {
    const aside = `${place}.before-move${number === 1 ? "" : `-${number}`}`;
    if (await exists(aside)) continue;
    await rename(place, aside);
    return;
  }
}

async function isBeginning(path: string, longer: string): Promise<boolean> {
  await using file = await PlainFile.open(path, Infinity).catch(() => null);
  await using whole = await PlainFile.open(longer, Infinity);
  if (file === null || whole === null || file.size > whole.size) return false;
  const others = readBlocks(whole);
  for await (const block of readBlocks(file)) {
    const { value: other } = await others.next();
    if (other === undefined || !block.equals(other.subarray(0, block.length))) return false;
  }
  return true;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
