import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { readPlainFile } from "../host/read-plain-file.ts";

/** The folders of a git repository. All paths are absolute, with links resolved. */
export interface GitRepository {
  /** The working tree. */
  readonly top: string;
  /** The git folder of this working tree alone, with its HEAD. */
  readonly folder: string;
  /** The git folder that worktrees share, with objects and branches. */
  readonly commonFolder: string;
}

/** Size limit of the git files that are read here, in bytes. */
const maxBytes = 64 * 1024;
/** Entries of a git folder that lead to commits. As links, they could lead to the commits of another repository. */
const guardedEntries = ["HEAD", "refs", "packed-refs", "objects"];

/**
 * Finds the repository that a folder is in. Returns null if there is none. Does not ask git, which would return the
 * value of `core.worktree`. If `.git` refers to another folder, that folder must refer back to this one, as it does for
 * worktrees and submodules. Otherwise an agent that can write here could read any repository of this machine.
 */
export async function findGitRepository(folder: string): Promise<GitRepository | null> {
  const repository = await readRepositoryAt(folder);
  if (repository !== null) return await assertNoLinks(repository);
  const parent = dirname(folder);
  return parent === folder ? null : await findGitRepository(parent);
}

async function readRepositoryAt(top: string): Promise<GitRepository | null> {
  const path = join(top, ".git");
  const stats = await lstat(path).catch(() => null);
  // Like git, ignore a `.git` folder without a HEAD.
  if (stats?.isDirectory())
    return (await exists(join(path, "HEAD"))) ? { top, folder: path, commonFolder: path } : null;
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return null;
  const target = stats.isFile() ? /^gitdir: (.*)/.exec(readGitFile(path) ?? "")?.[1] : await readlink(path);
  const folder = target === undefined ? null : await resolveRealPath(resolve(top, target));
  if (folder === null) throw repositoryNotAllowed(path, "refers to a folder that does not exist");
  if (folder.startsWith(top + sep)) return { top, folder, commonFolder: folder };
  return (await findWorktree(top, folder)) ?? (await findSubmodule(top, folder)) ?? throwUnrelated(path, folder);
}

/** The git folder of a worktree is inside its repository, and names the `.git` file that refers to it. */
async function findWorktree(top: string, folder: string): Promise<GitRepository | null> {
  const [backReference, sharedFolder] = [readGitFile(join(folder, "gitdir")), readGitFile(join(folder, "commondir"))];
  if (backReference === null || sharedFolder === null) return null;
  const commonFolder = await resolveRealPath(resolve(folder, sharedFolder.trimEnd()));
  // Without this check, an agent could create such a folder anywhere and let it name any repository.
  if (commonFolder === null || dirname(folder) !== join(commonFolder, "worktrees")) return null;
  const gitFile = resolve(folder, backReference.trimEnd());
  return basename(gitFile) === ".git" && (await resolveRealPath(dirname(gitFile))) === top
    ? { top, folder, commonFolder }
    : null;
}

/** The git folder of a submodule names its working tree in its configuration. */
async function findSubmodule(top: string, folder: string): Promise<GitRepository | null> {
  const configuredTop = readCoreWorktree(readGitFile(join(folder, "config")) ?? "");
  if (configuredTop === undefined || (await resolveRealPath(resolve(folder, configuredTop))) !== top) return null;
  return { top, folder, commonFolder: folder };
}

/**
 * Returns the value of `core.worktree` in a git configuration. Reads line by line, because the agent may have written
 * the file: a pattern over the whole text would take time that grows with the square of its length.
 */
export function readCoreWorktree(config: string): string | undefined {
  let section = "";
  for (const line of config.split("\n").map((one) => one.trim())) {
    if (line.startsWith("[")) section = line.toLowerCase();
    const [name = "", ...rest] = line.split("=");
    if (section !== "[core]" || rest.length === 0 || name.trimEnd().toLowerCase() !== "worktree") continue;
    const value = rest.join("=").trimStart();
    const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
    return isQuoted ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value;
  }
  return undefined;
}

async function assertNoLinks(repository: GitRepository): Promise<GitRepository> {
  for (const folder of new Set([repository.folder, repository.commonFolder])) {
    for (const name of guardedEntries) {
      const stats = await lstat(join(folder, name)).catch(() => null);
      if (stats?.isSymbolicLink()) throw repositoryNotAllowed(join(folder, name), "is a symbolic link");
    }
  }
  return repository;
}

function throwUnrelated(path: string, folder: string): never {
  const repair = "If they belong together, repair a worktree that was moved with: git worktree repair";
  const configure = `or configure the folder with: git --git-dir=${folder} config core.worktree ${dirname(path)}`;
  throw repositoryNotAllowed(path, `refers to ${folder}, which does not refer back`, ` ${repair}\n${configure}`);
}

function repositoryNotAllowed(path: string, reason: string, hint = ""): FairleadError {
  return new FairleadError("not-allowed", `The repository is not read, because ${path} ${reason}.${hint}`);
}

function readGitFile(path: string): string | null {
  try {
    return readPlainFile(path, maxBytes);
  } catch {
    return null;
  }
}

function resolveRealPath(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(Boolean, () => false);
}
