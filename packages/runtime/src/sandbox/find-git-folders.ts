import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isInside, resolveLinks } from "@fairlead/keeper";
import { readPlainFile } from "../host/read-plain-file.ts";
import { findGitRepository } from "../review/find-git-repository.ts";

/** The git folders of a workspace. */
export interface GitFolders {
  /** What a commit writes, the shared folder of a worktree first. */
  readonly writes: readonly string[];
  /** What the agent can only read, although it is in the workspace. */
  readonly protects: readonly string[];
  /**
   * The working tree: if the agent saw only a part of it, git would report the rest as deleted. Of other worktrees, the file
   * that belongs to the repository: git removes what it knows of a worktree that it does not find.
   */
  readonly shows: readonly string[];
}

export interface GitFolderOptions {
  readonly home: string;
  /** Whether agents may commit in a folder: the workspace, or the git folder that worktrees share. */
  readonly commits: (folder: string) => boolean;
}

const noGitFolders: GitFolders = { writes: [], protects: [], shows: [] };

/**
 * Finds the git folders of a workspace. If the hooks or the configuration are missing or are links, the agent can read the
 * repository and not commit: it could create what is missing, or replace a link, and git would run it for the user.
 */
export async function findGitFolders(workspace: string, { home, commits }: GitFolderOptions): Promise<GitFolders> {
  const repository = await findGitRepository(workspace).catch(() => "unclear" as const);
  // Its folder refers to another repository, or contains links. Git may use it all the same.
  if (repository === "unclear") return { ...noGitFolders, protects: [join(workspace, ".git")] };
  // The agent does not see a repository of the home, and of nothing in it.
  if (repository === null || isInside(home, repository.top)) {
    // The user may create a repository later.
    return commits(workspace) ? noGitFolders : { ...noGitFolders, protects: [join(workspace, ".git")] };
  }
  const { top, folder, commonFolder } = repository;
  const shows = top === workspace ? [] : [top];
  const folders = folder === commonFolder ? [folder] : [commonFolder, folder];
  const [config, hooks, worktrees] = await Promise.all([
    lstat(join(commonFolder, "config")).catch(() => null),
    lstat(join(commonFolder, "hooks")).catch(() => null),
    readdir(join(commonFolder, "worktrees")).catch(() => []),
  ]);
  const isProtectable =
    commits(workspace) &&
    commits(commonFolder) &&
    config?.isFile() === true &&
    hooks?.isDirectory() === true &&
    (await hasWorktreeConfigs(commonFolder, folders));
  if (!isProtectable) return { writes: [], protects: folders, shows };
  const worktreeFolders = worktrees.map((name) => join(commonFolder, "worktrees", name));
  const protects = [
    ...folders.flatMap((one) => gitPrograms.map((name) => join(one, name))),
    ...worktreeFolders.flatMap((one) => [join(one, sharedFolderFile), join(one, worktreeConfigFile)]),
  ];
  const otherFiles = worktreeFolders.filter((one) => one !== folder).flatMap((one) => findWorktreeFile(one) ?? []);
  return { writes: folders, protects, shows: [...shows, ...otherFiles.filter((file) => !isInside(file, workspace))] };
}

/**
 * Returns the file `.git` of the working tree that an entry of `.git/worktrees` belongs to. The agent of an earlier session
 * may have written the entry, so the file must name the entry: otherwise an agent could show itself any file.
 */
function findWorktreeFile(entry: string): string | null {
  try {
    const file = resolve(entry, readPlainFile(join(entry, "gitdir"), maxPathBytes)?.trim() ?? "");
    if (basename(file) !== ".git") return null;
    const named = /^gitdir: (.+)/.exec(readPlainFile(file, maxPathBytes) ?? "")?.[1] ?? "";
    return resolveLinks(resolve(dirname(file), named)) === entry ? file : null;
  } catch {
    return null;
  }
}

/** The file of a worktree that names the folder with its configuration. */
const sharedFolderFile = "commondir";

/** The configuration of a worktree alone. Git reads it if the repository's configuration says so. */
const worktreeConfigFile = "config.worktree";

/** Entries of a git folder that make git run programs, for the user as well. */
const gitPrograms: readonly string[] = ["config", worktreeConfigFile, "hooks", "modules"];

/** Size limit of a file that contains a path, in bytes. */
const maxPathBytes = 8 * 1024;

/** Size limit of a configuration, in bytes. */
const maxConfigBytes = 1024 * 1024;

/** Whether each folder has a configuration of its worktree, if git reads one. An agent could create a missing one. */
async function hasWorktreeConfigs(commonFolder: string, folders: readonly string[]): Promise<boolean> {
  try {
    const config = readPlainFile(join(commonFolder, "config"), maxConfigBytes) ?? "";
    if (!/worktreeconfig/i.test(config)) return true;
    const files = await Promise.all(folders.map((folder) => lstat(join(folder, worktreeConfigFile))));
    return files.every((file) => file.isFile());
  } catch {
    return false;
  }
}
