import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join, resolve } from "node:path";

/** More than any project has. Each costs two mounts, and an agent may have created the folders. */
const maxSubmodules = 500;
/** Names of submodules may contain slashes, and a submodule may have others. */
const maxDepth = 12;
const maxConfigBytes = 64 * 1024;
/** Without O_NONBLOCK, opening a pipe would wait for a writer. With O_NOFOLLOW, a link is an error. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

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
  const line = /^[ \t]*worktree[ \t]*=(.*)$/im.exec(readConfig(file))?.[1]?.trim() ?? "";
  const value = /^"(.*)"$/.exec(line)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? line;
  return value === "" ? null : value;
}

/** Reads a configuration that an agent may have created: only a regular file, and not more than git's own have. */
function readConfig(file: string): string {
  let opened: number;
  try {
    opened = openSync(file, openFlags);
  } catch {
    return "";
  }
  try {
    if (!fstatSync(opened).isFile()) return "";
    const buffer = Buffer.alloc(maxConfigBytes);
    return buffer.toString("utf8", 0, readSync(opened, buffer, 0, maxConfigBytes, 0));
  } finally {
    closeSync(opened);
  }
}
