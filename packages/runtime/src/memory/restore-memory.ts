import { FairleadError, type AgentMemory } from "@fairlead/contract";
import type { ObjectStore } from "@fairlead/engine";
import { BlockStore } from "./block-store.ts";
import { createMemoryFolder } from "./memory-folder.ts";
import { moveAside } from "./move-aside.ts";
import { discardFile, placeFile, stageFile, type StagedFile } from "./stage-file.ts";
import { damagedMemory, maxMemoryBytes, maxMemoryFiles, type StoredMemory } from "./stored-memory.ts";

export interface RestoreMemoryOptions {
  readonly objects: ObjectStore;
  readonly session: string;
  /** Where the agent of this host keeps the conversation. */
  readonly memory: AgentMemory;
  readonly stored: StoredMemory;
}

/**
 * Writes the stored files of an agent's memory where the agent of this host reads them. It reads and checks all of them
 * before it changes any. A file that this host has and that the stored one does not continue is renamed to
 * `NAME.before-move`.
 *
 * Throws `no-conversation` if nothing is stored, `corrupt` if a block is missing or damaged or a path is none of the agent's,
 * and `conflict` if a link leads to the files. The agent must not run meanwhile.
 */
export async function restoreMemory({ objects, session, memory, stored }: RestoreMemoryOptions): Promise<void> {
  if (stored.outcome !== "stored")
    throw new FairleadError("no-conversation", `No memory of the agent is stored: it was ${stored.outcome}.`);
  const size = stored.files.reduce((sum, file) => sum + file.size, 0);
  if (size > maxMemoryBytes || stored.files.length > maxMemoryFiles) throw damagedMemory("it is too large");
  const blocks = new BlockStore(objects, session);
  await using opened = new AsyncDisposableStack();
  const staged: StagedFile[] = [];
  for (const file of stored.files) {
    const folder = opened.use(await createMemoryFolder(memory, findFolder(memory, file.path)));
    const one = await stageFile(file, folder, blocks);
    opened.defer(() => discardFile(one));
    staged.push(one);
  }
  for (const one of staged) {
    await moveAside(one);
    await placeFile(one);
  }
}

/** Returns the folder of a stored path. Throws unless the agent of this host keeps such a file in the conversation. */
function findFolder(memory: AgentMemory, path: string): string {
  for (const { folder, name } of memory.files) {
    const prefix = folder === "" ? "" : `${folder}/`;
    const rest = path.slice(prefix.length);
    const isName = path.startsWith(prefix) && !["", ".", ".."].includes(rest) && !/[/\0]/.test(rest);
    if (isName && (typeof name === "string" ? name === rest : name.test(rest))) return folder;
  }
  // The path is from a store that other hosts write: it must not name another file of this host.
  throw damagedMemory("it has a file that the agent does not use");
}
