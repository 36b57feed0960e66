import { lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { readGitFile } from "./read-git-config.ts";

/** More than any project has. Each costs two mounts, and an agent may have created the folders. */
const maxSubmodules = 500;
/** Names of submodules may contain slashes, and a submodule may have others. */
const maxDepth = 12;

/**
 * Finds the working trees of the submodules whose git folders are in a folder `.git/modules`. Each git folder names its
 * working tree in its configuration. `.gitmodules` names them too, but the agent can change it.
 */
export function findSubmodules(modulesFolder: string): string[] {
  const found: string[] = [];
  const search = (folder: string, depth: number): void => {
    if (depth > maxDepth) return;
    for (const name of listFolders(folder)) {
      if (found.length >= maxSubmodules) return;
      const path = join(folder, name);
      const worktree = readWorktree(join(path, "config"));
      if (worktree !== null) found.push(resolve(path, worktree));
      search(worktree === null ? path : join(path, "modules"), depth + 1);
    }
  };
  search(modulesFolder, 0);
  return found;
}

function listFolders(folder: string): string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return []; // there is none
  }
}

/** Returns the value of `worktree` in a git configuration, or null if there is none. */
function readWorktree(file: string): string | null {
  const line = /^[ \t]*worktree[ \t]*=(.*)$/im.exec(readGitFile(file))?.[1]?.trim() ?? "";
  const value = /^"(.*)"$/.exec(line)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? line;
  return value === "" ? null : value;
}
