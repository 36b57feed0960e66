import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { OpenFolder } from "../host/open-folder.ts";
import type { BlockStore } from "./block-store.ts";
import { damagedMemory, type StoredFile } from "./stored-memory.ts";

/** A restored file under another name, beside the place where it belongs. */
export interface StagedFile {
  readonly folder: OpenFolder;
  readonly name: string;
  /** Leads to the staged file. */
  readonly location: string;
}

/** Writes a stored file under a name that no agent reads, and syncs it. Throws `corrupt` if it is not what was stored. */
export async function stageFile(
  { path, size, blocks }: StoredFile,
  folder: OpenFolder,
  store: BlockStore,
): Promise<StagedFile> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const location = join(folder.path, `${name}.restoring`);
  const staged = { folder, name, location };
  await discardFile(staged); // of a process that died within a restore
  await using file = await open(location, "wx", 0o600);
  try {
    let written = 0;
    for (const digest of blocks) {
      const block = await store.get(digest);
      await file.writeFile(block);
      written += block.length;
    }
    if (written !== size) throw damagedMemory(`${name} has ${written} bytes instead of ${size}`);
    await file.sync();
    return staged;
  } catch (error) {
    await discardFile(staged);
    throw error;
  }
}

/** Gives a staged file its name, and replaces the file that has it. */
export async function placeFile({ folder, name, location }: StagedFile): Promise<void> {
  await rename(location, join(folder.path, name));
  await folder.sync();
}

/** Removes a staged file that was not placed. */
export async function discardFile({ location }: StagedFile): Promise<void> {
  await rm(location, { force: true });
}
