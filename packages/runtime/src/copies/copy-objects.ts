import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openFolder } from "../host/open-folder.ts";
import { PlainFile } from "../host/read-plain-file.ts";

const looseFolder = /^[0-9a-f]{2}$/;
const looseObject = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
const packFile = /^pack-[0-9a-f]+\.(?:pack|idx)$/;

/**
 * Copies the objects of a clone's own into another folder. Links are not followed, and what the clone's `alternates` names is
 * not used: an agent could let them lead to the objects of a repository that it cannot read, and `bring` would put those
 * where it can. Links that are set while this runs have no effect on Linux: each folder is read through the one that was opened.
 */
export async function copyObjects(gitFolder: string, target: string, signal: AbortSignal): Promise<void> {
  await using git = await openFolder(gitFolder);
  if (git === null) return;
  await using objects = await openFolder(join(git.path, "objects"));
  if (objects === null) return;
  for (const name of await readdir(objects.path)) {
    if (looseFolder.test(name)) await copyFiles(join(objects.path, name), join(target, name), looseObject, signal);
    if (name === "pack") await copyFiles(join(objects.path, name), join(target, name), packFile, signal);
  }
}

async function copyFiles(source: string, target: string, names: RegExp, signal: AbortSignal): Promise<void> {
  await using folder = await openFolder(source);
  if (folder === null) return;
  await mkdir(target, { recursive: true });
  for (const name of await readdir(folder.path)) {
    if (!names.test(name)) continue;
    // Null: git removes loose objects when it packs them.
    await using file = await PlainFile.open(join(folder.path, name), Infinity).catch(() => null);
    if (file !== null) await writeFile(join(target, name), file.chunks(), { signal });
  }
}
