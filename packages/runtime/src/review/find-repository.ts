import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { readPlainFile } from "../read-plain-file.ts";

/** A repository as it was found; all paths are absolute and without links. */
export interface Repository {
  /** The folder whose files it is about. */
  readonly top: string;
  /** What is of this folder alone: its HEAD. */
  readonly folder: string;
  /** What it may share with other worktrees: objects and branches. */
  readonly common: string;
}

/** Bytes that a file of git's may have which is read here. */
const longest = 64 * 1024;
/** What leads to commits. As links they would lead to those of somebody else. */
const inside = ["HEAD", "refs", "packed-refs", "objects"];

/**
 * The repository that a folder is in; null when it is in none. We look for it ourselves: asked for it, git gives whatever
 * `core.worktree` says. Where `.git` only leads elsewhere, what lies there must know of this folder, as it does for
 * worktrees and submodules. Otherwise whoever can write here could have any repository of this machine read out.
 */
export async function findRepository(folder: string): Promise<Repository | null> {
  const found = await repositoryAt(folder);
  if (found !== null) return await withoutLinks(found);
  const above = dirname(folder);
  return above === folder ? null : await findRepository(above);
}

async function repositoryAt(top: string): Promise<Repository | null> {
  const path = join(top, ".git");
  const found = await lstat(path).catch(() => null);
  // As for git, an empty folder is none.
  if (found?.isDirectory()) return (await exists(join(path, "HEAD"))) ? { top, folder: path, common: path } : null;
  if (!found?.isFile() && !found?.isSymbolicLink()) return null;
  const named = found.isFile() ? /^gitdir: (.*)/.exec(read(path) ?? "")?.[1] : await readlink(path);
  const folder = named === undefined ? null : await real(resolve(top, named));
  if (folder === null) throw refused(path, "leads nowhere");
  if (folder.startsWith(top + sep)) return { top, folder, common: folder };
  return (await worktree(top, folder)) ?? (await submodule(top, folder)) ?? leadsAway(path, folder);
}

/** A worktree's own folder lies below the repository that it belongs to, and names the `.git` that leads to it. */
async function worktree(top: string, folder: string): Promise<Repository | null> {
  const [back, shared] = [read(join(folder, "gitdir")), read(join(folder, "commondir"))];
  if (back === null || shared === null) return null;
  const common = await real(resolve(folder, shared.trimEnd()));
  // Without this, somebody could make such a folder anywhere, and have it name any repository.
  if (common === null || dirname(folder) !== join(common, "worktrees")) return null;
  const named = resolve(folder, back.trimEnd());
  return basename(named) === ".git" && (await real(dirname(named))) === top ? { top, folder, common } : null;
}

/** A submodule's repository says in its settings where its files are. */
async function submodule(top: string, folder: string): Promise<Repository | null> {
  const core = /^\[core\]$([^[]*)/im.exec(read(join(folder, "config")) ?? "")?.[1] ?? "";
  const place = /^\s*worktree\s*=\s*(?:"(.*)"|(.*?))\s*$/im.exec(core);
  const named = place?.[1]?.replaceAll(/\\(.)/g, "$1") ?? place?.[2];
  if (named === undefined || (await real(resolve(folder, named))) !== top) return null;
  return { top, folder, common: folder };
}

async function withoutLinks(repository: Repository): Promise<Repository> {
  for (const place of new Set([repository.folder, repository.common])) {
    for (const name of inside) {
      const found = await lstat(join(place, name)).catch(() => null);
      if (found?.isSymbolicLink()) throw refused(join(place, name), "is a link to somewhere else");
    }
  }
  return repository;
}

function leadsAway(path: string, folder: string): never {
  const way = `\`git worktree repair\` mends a worktree that was moved; else say it there: git --git-dir=${folder} config core.worktree ${dirname(path)}`;
  throw refused(path, `leads to ${folder}, which does not know of it. If they belong together, ${way}`);
}

function refused(path: string, why: string): FairleadError {
  return new FairleadError("not-allowed", `The repository is not looked into: ${path} ${why}.`);
}

function read(path: string): string | null {
  try {
    return readPlainFile(path, longest);
  } catch {
    return null;
  }
}

function real(path: string): Promise<string | null> {
  return realpath(path).catch(() => null);
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(Boolean, () => false);
}
