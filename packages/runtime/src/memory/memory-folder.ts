import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { FairleadError, type AgentMemory } from "@fairlead/contract";
import { openFolder, type OpenFolder } from "../host/open-folder.ts";

/** Opens a folder of a memory. Returns null if there is none, or if a link below the root leads to it. */
export async function openMemoryFolder({ root, folder }: AgentMemory, name: string): Promise<OpenFolder | null> {
  const path = await realpath(root).catch(() => null);
  let opened = path === null ? null : await openFolder(path);
  for (const part of namesOf(folder, name)) {
    if (opened === null) return null;
    // Through the open folder: the agent could replace a part of a path by a link to a folder that it cannot read.
    await using parent = opened;
    opened = await openFolder(join(parent.path, part));
  }
  return opened;
}

/** Opens a folder of a memory, and creates it with mode 0700 if there is none. Throws `conflict` for a link below the root. */
export async function createMemoryFolder(memory: AgentMemory, name: string): Promise<OpenFolder> {
  await mkdir(memory.root, { recursive: true, mode: 0o700 });
  let opened = await openFolder(await realpath(memory.root));
  for (const part of namesOf(memory.folder, name)) {
    if (opened === null) break;
    await using parent = opened;
    const path = join(parent.path, part);
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    opened = await openFolder(path);
  }
  if (opened !== null) return opened;
  const path = join(memory.root, memory.folder, name);
  const advice = "A part of this path is a link or a file: remove it.";
  throw new FairleadError("conflict", `The agent's memory cannot be restored in ${path}. ${advice}`);
}

function namesOf(...paths: readonly string[]): string[] {
  return paths.flatMap((path) => path.split("/")).filter((part) => part !== "");
}
